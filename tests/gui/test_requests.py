"""The table of requests says the truth: the child answers each of them, and hides all but the declared ones."""

from typing import get_args

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.gui.worker import requests
from inspector.gui.worker.child_main import Dispatcher
from inspector.gui.worker.requests import REQUESTS_BY_NAME, SYNTAX_COLOURS
from inspector.gui.worker.syntax_colours import CodeText

# Their answers are paths that the window gave. mypy compares the types of all others with those of the engine.
SAFE = {
    "save_resume_request": str, "save_share_report": str, "save_logs_report": str, "save_send_back": str,
    "find_duplicates": dict[str, str],
}  # fmt: skip


def test_the_child_answers_every_request() -> None:
    assert set(Dispatcher(WindowEngine())._methods) == set(REQUESTS_BY_NAME.values())


def test_every_answer_is_hidden_unless_its_request_is_declared_safe() -> None:
    assert {name: request.answer_type for name, request in REQUESTS_BY_NAME.items() if request.safe} == SAFE
    dispatcher = Dispatcher(WindowEngine())
    dispatcher.set_salt("salt")
    for request in REQUESTS_BY_NAME.values():
        dispatcher._packers.pop(request, None)
        dispatcher._methods[request] = lambda *question: "a word of the log"
        question = (None,) * len(get_args(request.argument_types))
        answer = dispatcher.answer(request, question, lambda done, total: None, lambda: False)
        assert (answer == "a word of the log") == request.safe


def test_colours_hold_no_text_so_hiding_leaves_them() -> None:
    dispatcher, question = Dispatcher(WindowEngine()), (3, [CodeText("x = 1", "a.py")])
    answers = []
    for salt in ("", "salt"):
        dispatcher.set_salt(salt)
        answers.append(dispatcher.answer(SYNTAX_COLOURS, question, lambda done, total: None, lambda: False))
    assert answers[0] == answers[1]


def test_what_writes_is_let_finish_and_told_of() -> None:
    writing = [
        request for request in REQUESTS_BY_NAME.values() if request.name.startswith(("save", "restore", "forget"))
    ]
    assert all(request.uninterruptible and request.if_interrupted for request in writing)


@pytest.mark.parametrize("request_", [requests.SAVE_REPAIR, requests.SAVE_TRIMMED, requests.SAVE_CONVERTED])
def test_a_save_that_broke_off_promises_no_backup(request_: requests.AnyRequest) -> None:
    """A copy has none, and a save in place may have ended before it made one."""
    assert "a backup exists" not in request_.if_interrupted
    assert ("in place" in request_.if_interrupted) == (request_ is requests.SAVE_REPAIR)
