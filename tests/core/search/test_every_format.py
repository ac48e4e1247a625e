"""Seeking works in the sample of every format: each word of a filter, each list, and the way to each record."""

from pathlib import Path

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.search.filter_line import FILTER_ROLES, FILTER_STATES
from inspector.core.search.predefined_lists import CONTENT_LIST_FUNCTIONS
from tests.support.paths import SAMPLES


@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_every_question_has_an_answer(path: Path) -> None:
    engine = WindowEngine()
    opened = engine.open(str(path))
    try:
        everything = engine.filter("")
        assert everything.rows == everything.total
        for state in FILTER_STATES:
            kept, others = engine.filter(f"is:{state}"), engine.filter(f"-is:{state}")
            assert kept.rows + others.rows == everything.total, state
        for role in FILTER_ROLES:
            assert not engine.filter(f"role:{role}").fault
        tools = engine.facets().tools
        assert all(engine.filter(f'tool:"{tool}"').rows >= count for tool, count in tools.items())
        for name in CONTENT_LIST_FUNCTIONS:
            rows = engine.content_list(name)
            assert all(0 < row.node < len(opened.outline) for row in rows), name
        for record, node in enumerate(opened.outline.node_of_record[: len(opened.starts)]):
            target = engine.go_to(f"record {record + 1}")
            assert (target.node > 0) == (node > 0) or target.sentence, record
        found = [record for part in engine.find("e", False) for record in part.records]
        assert found == sorted(set(found))
    finally:
        engine.close()
