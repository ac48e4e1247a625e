"""The fake provider refuses what the real ones refuse, answers as they do, and records what it was asked."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.interop.agents.compare import Item, items
from tests.interop.agents.provider import WIRES, Provider
from tests.interop.agents.provider.script import Call, Say
from tests.interop.agents.provider.wire import Refused
from tests.interop.third_party.judges import HISTORIES
from tests.interop.third_party.shapes import SHAPES
from tests.support.notation import parse

SHAPE_OF = {"anthropic": "anthropic", "openai-chat": "openai", "openai-responses": "responses", "gemini": "gemini"}
ACCEPTED = {
    "anthropic": "S1 S2 S3 S4 S5",
    "openai-chat": "S1 S2 S3 S4 S5 X9",  # an id may come again in a later turn
    "openai-responses": "S1 S2 S3 S4 S5 B5",  # an output may stand anywhere behind its call
    "gemini": "S1 S2 S3 S4 S5 B4 X9",  # it goes by number; a response that repeats an id is counted once
}
PATHS = {
    "anthropic": "/v1/messages?beta=true",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini:streamGenerateContent?alt=sse",
}
TOOLS = {
    "anthropic": [{"name": "Bash", "input_schema": {}}],
    "gemini": [{"functionDeclarations": [{"name": "Bash"}]}],
}
HELLO = SHAPES["openai"](parse('u"hi"'))


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as running:
        yield running


def history(wire: str, text: str) -> list[dict[str, Any]]:
    """In the wire's shape. A session ends with a prompt of the user, as every resume does."""
    messages = SHAPES[SHAPE_OF[wire]](parse(text))
    return messages if messages[-1].get("role") == "user" else [*messages, *SHAPES[SHAPE_OF[wire]](parse('u"go on"'))]


def accepts(wire: str, text: str) -> bool:
    try:
        WIRES[wire].judge(history(wire, text))
    except Refused:
        return False
    return True


def ask(provider: Provider, wire: str, messages: list[dict[str, Any]], **more: Any) -> tuple[int, str]:
    body = {WIRES[wire].history: messages, "stream": True, "tools": TOOLS.get(wire, [{"name": "Bash"}]), **more}
    request = urllib.request.Request(provider.url + PATHS[wire], json.dumps(body).encode(), method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.parametrize("wire", WIRES)
def test_takes_the_sound_and_refuses_the_broken(wire: str) -> None:
    assert " ".join(name for name, text in HISTORIES.items() if accepts(wire, text)) == ACCEPTED[wire]


@pytest.mark.parametrize("wire", WIRES)
def test_a_broken_history_is_answered_in_the_words_of_the_api(wire: str, provider: Provider) -> None:
    provider.play([Say("never said")])
    code, answer = ask(provider, wire, history(wire, HISTORIES["B1"]))
    assert code == 400
    (request,) = provider.turns
    assert request.refused
    assert request.refused in json.loads(answer)["error"]["message"]
    assert provider.script  # what was refused is not answered


@pytest.mark.parametrize("wire", WIRES)
def test_answers_with_the_script_and_records(wire: str, provider: Provider) -> None:
    provider.play([Say("Now two.", (Call("A", "Bash", {"x": 1}), Call("B", "Bash", {"x": 2})), "hm")])
    sent = history(wire, HISTORIES["S1"])
    code, answer = ask(provider, wire, sent)
    assert code == 200
    assert "data: " in answer
    assert all(text in answer for text in ("Now two.", "Bash", "hm"))
    assert [(request.wire.name, request.messages, request.refused) for request in provider.turns] == [(wire, sent, "")]
    assert "Done." in ask(provider, wire, sent)[1]


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_is_accepted_when_it_comes_back(wire: str) -> None:
    """What was said and called, as the agent repeats it, with results."""
    say = Say("Now two.", (Call("A", "Bash", {"x": 1}), Call("B", "Bash", {"x": 2})), "hm")
    answer = WIRES[wire].answer({}, say)
    forms: dict[str, Callable[[], list[Any]]] = {
        "anthropic": lambda: [{"role": "assistant", "content": answer["content"]}],
        "openai-chat": lambda: [answer["choices"][0]["message"]],
        "openai-responses": lambda: answer["output"],
        "gemini": lambda: [answer["candidates"][0]["content"]],
    }
    answers = forms[wire]()
    called = [Item("call", f'{{"x": {x}}}', "" if wire == "gemini" else id_, "Bash") for id_, x in (("A", 1), ("B", 2))]
    assert items(wire, answers) == [Item("assistant", "Now two."), *called]
    results = SHAPES[SHAPE_OF[wire]](parse('a{A@Bash,B@Bash} | r(A=x,B=y) | u"go on"'))[-2 if wire == "gemini" else 1 :]
    if wire == "openai-responses":
        results = [item for item in results if item.get("type") != "function_call"]
    WIRES[wire].judge([*history(wire, 'u"hi"'), *answers, *results])


def test_a_request_without_tools_is_no_turn(provider: Provider) -> None:
    provider.play([Say("kept for the turn")])
    assert "title" in ask(provider, "openai-chat", HELLO, tools=[])[1]
    assert not provider.turns
    assert "kept for the turn" in ask(provider, "openai-chat", HELLO)[1]


def test_an_answer_can_be_held_back(provider: Provider) -> None:
    provider.play([Say("late", never=True)])
    answers: list[tuple[int, str]] = []
    asking = threading.Thread(target=lambda: answers.append(ask(provider, "openai-chat", HELLO)))
    asking.start()
    asking.join(0.3)
    assert asking.is_alive()
    provider.play([])
    asking.join(5)
    assert "late" in answers[0][1]


def test_what_is_no_history_is_refused(provider: Provider) -> None:
    provider.play([])
    assert ask(provider, "openai-chat", [{"content": "nobody says this"}])[0] == 400


@pytest.mark.parametrize("wire", WIRES)
def test_half_of_a_surrogate_pair_is_refused(provider: Provider, wire: str) -> None:
    code, answer = ask(provider, wire, history(wire, 'u"cut \ud83d off"'))
    assert (code, "no low surrogate" in answer) == (400, True)


def test_anthropic_refuses_white_space(provider: Provider) -> None:
    code, answer = ask(provider, "anthropic", history("anthropic", 'u | a" " | u'))
    assert (code, "must contain non-whitespace text" in answer) == (400, True)


def test_a_whole_surrogate_pair_is_accepted(provider: Provider) -> None:
    assert ask(provider, "anthropic", [{"role": "user", "content": "whole \U0001f389"}])[0] == 200
