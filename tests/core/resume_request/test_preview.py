"""The preview of a resume request: every block with its message and its place, and the same JSON as the command."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.errors import CannotWrite, NotJudged, NotVerified, UnknownName
from inspector.core.model.views import RecordLocation
from inspector.core.presentation.engine_results import RequestPreview
from inspector.core.repair.choices import Choices
from tests.core.resume_request.test_claude_code import NEW, OLD, log
from tests.support import product


def shown(preview: RequestPreview) -> list[str]:
    """Each block as `message role mark kind id-or-name @record`; `>record` is its call's."""
    return [
        f"{'-' if block.message is None else block.message} {block.role} {block.mark} {block.kind}"
        f"{f' {block.name}' if block.name else ''}"
        f"{f' @{block.place.record}' if block.place else ''}{f' >{block.call.record}' if block.call else ''}"
        for block in preview.blocks
    ]


@pytest.fixture
def engine() -> Iterator[WindowEngine]:
    made = WindowEngine()
    yield made
    made.close()


def test_what_is_dropped_stands_where_the_log_has_it(engine: WindowEngine, tmp_path: Path) -> None:
    engine.open(str(log(tmp_path, "u | a{A} | a{B} | r(A=alpha,B=beta)", OLD)))
    preview = engine.resume_request(None)
    assert shown(preview) == [
        "0 user kept text @0",
        "1 assistant kept call Read @1",
        "2 user answered by the agent result Read >1",
        "3 assistant kept call Read @2",
        "- user dropped result Read @3",
        "4 user kept result Read @4",
    ]
    assert (preview.messages, preview.wire, preview.outcome) == (5, "anthropic", "mends")
    assert 0 < preview.bytes < len(engine.resume_request_json(None))


def test_of_a_planned_repair_what_was_added_is_told_apart(engine: WindowEngine, tmp_path: Path) -> None:
    engine.open(str(log(tmp_path, "u | a{A,B} | r(A=alpha)", NEW)))
    assert shown(engine.resume_request(None))[-1] == "2 user answered by the agent result Read >2"
    preview = engine.resume_request(Choices())
    assert shown(preview)[-2:] == ["2 user kept result Read @3", "2 user added by the repair result Read >2"]
    assert preview.sentence.endswith("loads the session unchanged.")


def test_the_place_of_a_block_is_that_in_the_log_as_read(engine: WindowEngine, tmp_path: Path) -> None:
    """Where a repair changed the blocks of a record, the record alone is said."""

    def add(records: list[dict[str, Any]]) -> None:
        content = records[2]["message"]["content"]
        records[2]["message"]["content"] = [content[0] | {"tool_use_id": "Z"}, *content]

    engine.open(str(log(tmp_path, 'u | a{A} | r(A=alpha) | a"ok"', NEW, add)))
    places = [block.place for block in engine.resume_request(None).blocks]
    assert [place.pointer for place in places[2:4] if place] == ["/message/content/0", "/message/content/1"]
    for preset in ("canonical", "clean"):
        kept = [block.place for block in engine.resume_request(Choices(preset)).blocks if block.kind == "result"]
        assert kept == [RecordLocation(2)]


def test_the_json_is_that_of_the_command_and_never_takes_the_place_of_the_log(
    engine: WindowEngine, tmp_path: Path
) -> None:
    path = log(tmp_path, "u | a{A}", NEW)
    path.chmod(0o600)
    before = path.read_bytes()
    engine.open(str(path))
    assert json.loads(engine.resume_request_json(None)) == product.sent(path).report
    with pytest.raises(CannotWrite, match="is the log itself"):
        engine.save_resume_request(None, "", str(path))
    engine.save_resume_request(None, "", str(tmp_path / "sent.json"))
    assert (tmp_path / "sent.json").read_bytes() == engine.resume_request_json(None)
    assert (tmp_path / "sent.json").stat().st_mode == path.stat().st_mode
    assert path.read_bytes() == before


def test_what_cannot_be_told_is_a_sentence(engine: WindowEngine, tmp_path: Path) -> None:
    engine.open(str(log(tmp_path, "u | a{A}", NEW)))
    with pytest.raises(NotVerified, match="would still reject the history"):
        engine.resume_request(Choices(rules={"D1": "leave"}))
    with pytest.raises(UnknownName):
        engine.resume_request(None, "7")
    (tmp_path / "chat.json").write_text('{"messages": [{"role": "user", "content": "hi"}]}')
    opened = engine.open(str(tmp_path / "chat.json"))
    assert not opened.overview.models_resume
    with pytest.raises(NotJudged, match="Cannot determine what the agent sends on resume"):
        engine.resume_request(None)


def test_of_a_log_that_is_not_judged_nothing_is_told(engine: WindowEngine, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"weather": "fine"}\n{"weather": "rain"}\n')
    engine.open(str(tmp_path / "log.jsonl"))
    with pytest.raises(NotJudged, match="because the format of this log is uncertain"):
        engine.resume_request(None)
    told = product.run("sent", str(tmp_path / "log.jsonl"))
    assert told.exit_code == 3
    assert "--log-format" in told.stderr
