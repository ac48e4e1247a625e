"""What a wire of the fake provider knows: how it is asked, what it refuses, and how it spells an answer."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from tests.interop.agents.provider.script import Say

Body = dict[str, Any]


class Refused(Exception):
    """The request is one that the real API refuses, in its words."""


class Wire(ABC):
    """One wire. `history` is the field of a request that holds the messages, `too_long` what is said of too many."""

    name: str
    history: str
    too_long: str

    @abstractmethod
    def serves(self, path: str) -> bool:
        """Whether a POST to this path asks for an answer."""

    @abstractmethod
    def judge(self, messages: list[Body]) -> None:
        """Raises Refused where the real API would."""

    @abstractmethod
    def failure(self, text: str) -> Body:
        """The body of a 400."""

    @abstractmethod
    def answer(self, body: Body, say: Say) -> Body:
        """The body of an answer that is not streamed."""

    @abstractmethod
    def events(self, answer: Body) -> Iterator[Body | str]:
        """The same answer as the events of a stream."""

    def streams(self, path: str, body: Body) -> bool:
        return bool(body.get("stream"))

    def is_turn(self, body: Body) -> bool:
        """Whether the model may call tools: requests for titles and the like are answered aside."""
        return bool(body.get("tools"))

    def stream(self, answer: Body) -> bytes:
        """Server-sent events, each named by its `type` where it has one."""
        return "".join(_event(event) for event in self.events(answer)).encode()


def _event(event: Body | str) -> str:
    if isinstance(event, str):
        return f"data: {event}\n\n"
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def refuse_if(wrong: object, text: str) -> None:
    if wrong:
        raise Refused(text)


def first_repeated(ids: Iterable[str]) -> str:
    """The first id that comes a second time, "" when none does."""
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            return each
        seen.add(each)
    return ""
