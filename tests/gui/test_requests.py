"""The table of requests says the truth: each row is a method of the engine, with its types."""

from collections.abc import Callable, Iterator
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from inspector.core.engine.engine import Engine
from inspector.gui.worker.child import PackingEngine
from inspector.gui.worker.requests import REQUESTS, AnyRequest
from tests.gui.fake_engine import FakeEngine

NAMES = {"Engine": Engine, "Progress": Callable[[int, int], None], "IsCancelled": Callable[[], bool]}
# What the fake engine has not: tests ask the real one for it.
ELSEWHERE = {
    "backup_at", "restore", "find", "go_to", "filter", "listed", "colours", "between", "at_work", "outward", "same",
    "save_outward", "outward_of", "save_outward_of", "forget", "save_bundle", "send_back", "save_send_back",
}  # fmt: skip
STEERING = ("progress", "cancelled")


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_row_is_a_method_with_its_types(request_: AnyRequest) -> None:
    method = vars(PackingEngine).get(request_.name) or getattr(Engine, request_.name)
    types: dict[str, Any] = get_type_hints(method, localns=NAMES)
    answer, steering = types.pop("return"), [types.pop(name, None) for name in STEERING]
    assert tuple(types.values()) == get_args(request_.argument_types)
    assert [bool(each) for each in steering] == [request_.reports_progress, request_.cancellable]
    assert (get_origin(answer) is Iterator) == request_.streams
    assert (get_args(answer)[0] if request_.streams else answer) == request_.answer_type
    assert request_.name in vars(FakeEngine) or request_.name in ELSEWHERE


def test_what_writes_is_let_finish_and_told_of() -> None:
    writing = [request for request in REQUESTS.values() if request.name.startswith(("save", "restore", "forget"))]
    assert all(request.uninterruptible and request.if_interrupted for request in writing)
