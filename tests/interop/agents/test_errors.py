"""A run of `fix --error` is judged as its kind of error asks for, and the provider refuses as the real one."""

import pytest

from inspector.core.providers.error_kinds import ERROR_KINDS
from inspector.core.providers.error_parser import parse_error_text
from tests.interop.agents.errors import OPAQUE, WALKS, Walk, Walked, by_its_rules, empty_image, judged, odd_id, opaque
from tests.interop.agents.provider.wire import Body


@pytest.mark.parametrize(
    ("goes_on", "code", "changed", "new", "wrong"),
    [
        (True, 0, [], ("new",), ""),
        (True, 1, [], (), "exit code 1"),
        (True, 0, ["log"], ("new",), "it changed log"),
        (False, 0, [], (), ""),
        (False, 0, [], ("new",), "it wrote new"),
    ],
)
def test_a_run_is_judged(goes_on: bool, code: int, changed: list[str], new: tuple[str, ...], wrong: str) -> None:
    row = Walked("agent", "history", code=code, known_as="history")
    assert judged(Walk("history", goes_on=goes_on), row, changed, new).why == wrong


def test_the_text_must_be_of_the_kind() -> None:
    row = Walked("agent", "store", code=0, known_as="file")
    assert judged(Walk("store"), row, [], ()).why == "the text is known as file"
    assert judged(Walk("unknown", code=0, goes_on=False), Walked("agent", "unknown", code=0), [], ()).why == ""


def message(*blocks: Body) -> Body:
    return {"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": [*blocks]}]}


def test_the_provider_refuses_in_words_that_are_known() -> None:
    image = {"type": "image", "source": {"data": ""}}
    body = message({"type": "tool_result", "content": [image]})
    assert parse_error_text(empty_image("", body)).kind == "media"
    assert parse_error_text(odd_id("", message({"type": "tool_use", "id": "a.b"}))).kind == "history"
    assert parse_error_text(opaque(empty_image)("", body)).kind == "opaque"
    sound = message(
        {"type": "tool_use", "id": "a-b"}, {"type": "tool_result", "content": [{**image, "source": {"data": "x"}}]}
    )
    assert (empty_image("", sound), odd_id("", sound), opaque(by_its_rules)("", sound)) == ("", "", "")
    assert opaque(by_its_rules)("refused", sound) == OPAQUE


def test_there_is_a_walk_for_every_kind_with_a_cause_that_can_be_made() -> None:
    walked = {walk.kind for walks in WALKS.values() for walk in walks}
    assert walked - {"unknown"} == ERROR_KINDS.keys() - {"template", "tool-reference"}
