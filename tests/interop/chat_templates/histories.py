"""Histories as chat messages, written as a letter a message, and how a profile and a template judge them.

All short sequences of the letters are histories, so that both directions are tried: the profile must refuse what the
template refuses, and nothing else.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import check
from inspector.core.engine.request_repair import repair_messages
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.openai_chat import OpenAIChat
from inspector.core.storage.source import Source
from tests.interop.chat_templates.rendering import refusal

ORDER = "SUACR"  # whose every sequence is tried
ODD = "DELNJPTFQB"  # one of these in a history that is sound otherwise
_READ = {"name": "Read", "arguments": '{"path": "a"}'}


def _call(
    call_id: str = "abcdefgh1", arguments: Any = '{"path": "a"}', content: Any = None, **more: Any
) -> dict[str, Any]:
    function = {"name": "Read", "arguments": arguments}
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        **more,
    }


def _result(call_id: str = "abcdefgh1", content: Any = "x") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


_PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
LETTERS: dict[str, list[dict[str, Any]]] = {
    "S": [_said("system", "be brief")],
    "U": [_said("user", "q")],
    "A": [_said("assistant", "ok")],
    "C": [_call()],
    "R": [_result()],
    "D": [_said("developer", "be brief")],
    "E": [_said("assistant", None)],
    "L": [_call("call_with_a_long_id"), _result("call_with_a_long_id")],
    "N": [_call(arguments="[1]"), _result()],
    "J": [_call(arguments='{"path": '), _result()],
    "P": [_said("user", [{"type": "text", "text": "see"}, _PICTURE])],
    "T": [_call(), _result(content=[{"type": "tool_reference", "tool_name": "Read"}])],
    "F": [_said("assistant", "<|channel|>analysis<|message|>hm<|end|>ok")],
    "Q": [_said("user", "<tool_response>x</tool_response>")],
    "B": [_call(content="I read.", thinking="hm"), _result()],
}


def messages(letters: str) -> list[dict[str, Any]]:
    return [message for letter in letters for message in LETTERS[letter]]


def histories(longest: int = 5) -> Iterator[str]:
    for length in range(1, longest + 1):
        yield from (
            letters for letters in map("".join, product(ORDER, repeat=length)) if letters.strip("S")
        )  # who has only been told something has not begun
    for odd in ODD:
        yield from (
            f"U{odd}",
            f"{odd}U",
            f"SU{odd}",
            f"SU{odd}A",
            f"SU{odd}AU",
            f"SUAU{odd}A",
            f"UCR{odd}U",
        )


@dataclass(frozen=True)
class Row:
    """`found` are the rules that the profile is refused for, `refusal` is the template's text."""

    letters: str
    refusal: str | None
    found: tuple[str, ...]

    @property
    def is_wrong(self) -> bool:
        return bool(self.found) != (self.refusal is not None)


def errors(profile: str, sent: list[dict[str, Any]]) -> tuple[str, ...]:
    """The rules that report an error in these messages, for a profile."""
    log = OpenAIChat().index(Source.of_bytes(json.dumps(sent).encode(), "log.json"), ReadOptions())
    (session,) = check(log, profile).sessions
    return tuple(sorted({each.rule for each in session.findings if each.severity == Severity.ERROR}))


def judged(profile: str, template: str, longest: int = 5) -> Iterator[Row]:
    for letters in histories(longest):
        yield Row(letters, refusal(template, messages(letters)), errors(profile, messages(letters)))


def repaired(profile: str, letters: str) -> list[dict[str, Any]]:
    return list(repair_messages(messages(letters), profile=profile).messages)


def shown(sent: list[dict[str, Any]]) -> str:
    """The letters of messages by role and calls alone."""
    letters = {"system": "S", "user": "U", "assistant": "A", "tool": "R"}
    return "".join("C" if message.get("tool_calls") else letters.get(message["role"], "?") for message in sent)
