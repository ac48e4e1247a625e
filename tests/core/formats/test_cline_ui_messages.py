"""The messages that the extension's window showed: recognised, shown, and only damage is judged."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.formats import FORMATS
from tests.core.formats.cline_ui import render
from tests.support import product
from tests.support.notation import parse

HISTORY = parse('u"water the beds" | a"t"{A p=1} | r(A=alpha) | a"ok"')


def test_a_call_told_in_a_text_is_no_call(tmp_path: Path) -> None:
    path = tmp_path / "ui_messages.json"
    path.write_bytes(render(HISTORY))
    session = product.check(path).session
    assert (session["format"], session["verdict"], session["calls"], session["records"]) == (
        "cline-ui",
        "healthy",
        0,
        5,
    )


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ({"ts": 1, "type": "say", "say": "text", "text": "ok"}, ("say", "text", ["ok"])),
        ({"ts": 1, "type": "ask", "ask": "tool"}, ("ask", "tool", [])),
        ({"role": "user", "content": "hi"}, ("user", "", [])),
        (None, ("", "no message", [])),
    ],
)
def test_what_a_message_shows(message: Any, shown: tuple[str, str, list[str]]) -> None:
    view = FORMATS["cline-ui"].view(json.dumps(message).encode())
    assert (view.role, view.summary, [block.text for block in view.blocks]) == shown


def test_an_array_cut_anywhere_is_closed_again(tmp_path: Path) -> None:
    path, out = tmp_path / "ui_messages.json", tmp_path / "out.json"
    whole = render(HISTORY)
    made = json.loads(whole)
    for size in range(whole.index(b",{") + 1, len(whole), 3):
        path.write_bytes(whole[:size])
        assert product.check(path).session["on_resume"]["outcome"] == "refuses"
        assert product.repair(path, out).code == 0
        kept = json.loads(out.read_bytes())
        assert kept == made[: len(kept)]
        assert len(kept) >= whole[:size].count(b'"ts"') - 1
        out.unlink()


@pytest.mark.parametrize("content", ["[]", "[1,null]"])
def test_the_name_is_enough_for_what_it_may_hold(content: str, tmp_path: Path) -> None:
    path = tmp_path / "ui_messages.json"
    path.write_text(content, "utf-8")
    assert product.check(path).session["format"] == "cline-ui"
    assert product.check(path).session["verdict"] == "healthy"
    path.with_name("other.json").write_text(content, "utf-8")
    assert product.check(path.with_name("other.json")).report["sessions"][0]["format"] != "cline-ui"


def test_the_name_does_not_make_chat_messages_an_empty_history(tmp_path: Path) -> None:
    path = tmp_path / "ui_messages.json"
    path.write_text('[{"role":"user","content":"hi","timestamp":1}]', "utf-8")
    assert product.check(path).session["verdict"] == "not-judged"


def test_it_is_saved_in_place_with_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "ui_messages.json"
    path.write_bytes(render(HISTORY)[:-20])
    torn = path.read_bytes()
    door = product.Door(path)
    try:
        saved = door.save("in-place")
    finally:
        door.close()
    assert Path(saved.backup).read_bytes() == torn
    assert json.loads(path.read_bytes()) == json.loads(render(HISTORY))[:-1]
    assert saved.command == ""
