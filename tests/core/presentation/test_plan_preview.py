"""The preview of a plan, printed: what happens to which record, and what the person left as it is."""

from pathlib import Path

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.repair.choices import Choices
from tests.core.formats import FORMATS
from tests.support.notation import parse


def changes(history: str, folder: Path, **left: str) -> str:
    engine = WindowEngine()
    opened = engine.open(str(FORMATS["openai-chat"].write(parse(history), folder)))
    findings = {finding.id: left[finding.call_id or ""] for finding in opened.findings if finding.call_id in left}
    preview = engine.preview(Choices(findings=findings))
    engine.close()
    names = {finding.id: finding.call_id for finding in opened.findings}
    return "\n".join(
        " ".join(map(str, (each.mark, each.record, *(names.get(name, name) for name in each.finding_ids))))
        for each in preview.changes
    )


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ({}, "skipped 0|kept 4|kept 5|added None A|added None B|kept 6|kept 7"),
        ({"A": "leave"}, "skipped 0|kept 4|rejected 5 A|added None B|kept 6|kept 7"),
        ({"A": "leave", "B": "leave"}, "skipped 0|kept 4|rejected 5 A|rejected 5 B|kept 6|kept 7"),
    ],
)
def test_what_was_rejected_stands_where_it_would_have_been_mended(
    left: dict[str, str], expected: str, tmp_path: Path
) -> None:
    told = changes('u"1" | a"2" | u"3" | a"4" | u"5" | a{A, B} | u"stop" | a"ok"', tmp_path, **left)
    assert told.replace("\n", "|") == expected
