"""A log whose agent is at work: what it waits for is left to it, and what is written reads back as it was planned."""

from pathlib import Path

import pytest

from inspector.core.engine import activity
from tests.core.formats import WRITABLE
from tests.core.repair.every_format import beside, write
from tests.support import product
from tests.support.notation import Call, Result, parse


def test_what_an_agent_at_work_waits_for_is_left_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a later pass, and in what was written: it reads back as it was planned."""
    monkeypatch.setattr("inspector.core.engine.activity.is_open_for_writing", lambda path: True)
    path = write(WRITABLE["claude-code"], parse('u | a{A} | u"go on" | a{B}'), tmp_path / "log")
    out = beside(path, "repaired")
    answer = product.repair(path, out)
    assert (answer.code, answer.edits != []) == (0, True)
    left = WRITABLE["claude-code"].load(out)
    assert [call.id for turn in left for call in turn.of(Call)][-1] == "B"
    assert "B" not in [result.id for turn in left for result in turn.of(Result)]


def test_a_number_of_a_file_that_is_gone_holds_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"{}")
    state = path.stat()
    monkeypatch.setattr(activity, "_files_being_written", lambda moment: frozenset({(state.st_dev, state.st_ino)}))
    assert not activity.is_open_for_writing(str(path))
