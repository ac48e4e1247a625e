"""Makes one large JSON document of chat messages, `{"model": …, "messages": […]}`, with known faults."""

import json
import random
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import orjson

from tests.benchmarks.generate import (
    BASE58,
    DUPLICATES,
    MEGABYTE,
    ORPHANS,
    PICTURES,
    QUESTIONS,
    TOOLS,
    UNANSWERED,
    Facts,
    Texts,
    arguments,
)

# How programs write JSON beside the compact way: as Python does unasked, with spaces and escapes, and for people.
SPELLINGS: dict[str, dict[str, Any]] = {"spaced": {}, "indented": {"indent": 2}}
HEAD, TAIL = b'{"model":"gpt-4o","temperature":0,"messages":[', b"]}"


class Chat:
    """Writes messages as the chat API takes them: all calls of a turn in one message, a message a result."""

    def __init__(self, out: BinaryIO, facts: Facts) -> None:
        self.rng = random.Random(facts.seed)
        self.texts = Texts(self.rng)
        self.facts = facts
        self._out = out

    def message(self, role: str, content: Any, **more: Any) -> None:
        raw = orjson.dumps({"role": role, "content": content} | more)
        self._out.write(b"," + raw if self.facts.records else raw)
        self.facts.bytes += len(raw) + 1
        self.facts.records += 1

    def exchange(self) -> None:
        """A message of the assistant with its calls, and their results."""
        rng, facts, text = self.rng, self.facts, self.texts.plain
        tools = rng.choices(list(TOOLS), list(TOOLS.values()), k=rng.choice((1, 1, 1, 1, 2, 3)))
        ids = [self._id() for _ in tools]
        calls = [
            {"id": call_id, "type": "function", "function": {"name": tool, "arguments": self._arguments(tool)}}
            for tool, call_id in zip(tools, ids, strict=True)
        ]
        facts.calls += len(calls)
        self.message("assistant", text(40, 1500) if rng.random() < 0.5 else None, tool_calls=calls)
        for call_id in ids:
            if rng.randrange(1000) < UNANSWERED:
                facts.unanswered += 1
                continue
            facts.results += 1
            self._result(call_id)
            if rng.randrange(1000) < DUPLICATES:
                facts.duplicates += 1
                self.message("tool", "the same once more", tool_call_id=call_id)
        if rng.randrange(1000) < ORPHANS:
            facts.orphans += 1
            facts.results += 1
            self.message("tool", text(30, 900), tool_call_id=self._id())

    def _result(self, call_id: str) -> None:
        """Mostly a few thousand characters, now and then very many or a picture."""
        size = int(min(60_000, 200 + self.rng.lognormvariate(7.3, 1.3)))
        content: Any = self.texts.plain(size, size)
        if self.rng.randrange(1000) < PICTURES:
            url = "data:image/png;base64," + self.texts.picture()
            content = [{"type": "image_url", "image_url": {"url": url}}]
        self.message("tool", content, tool_call_id=call_id)

    def _id(self) -> str:
        return "call_" + "".join(self.rng.choices(BASE58, k=24))

    def _arguments(self, tool: str) -> str:
        return orjson.dumps(arguments(self, tool)).decode()


def generate_document(out: Path, megabytes: float, seed: int = 1) -> Facts:
    """Write the document to `out` and its facts to a .facts beside it."""
    facts = Facts("document", seed)
    with out.open("wb", buffering=1 << 20) as file:
        file.write(HEAD)
        chat = Chat(file, facts)
        while facts.bytes < megabytes * MEGABYTE:
            chat.message("user", chat.rng.choice(QUESTIONS) + " " + chat.texts.plain(0, 500))
            for _ in range(chat.rng.randint(2, 30)):
                chat.exchange()
            chat.message("assistant", chat.texts.plain(80, 1500))
        file.write(TAIL)
    out.with_suffix(".facts").write_bytes(msgspec.json.encode(facts))
    return facts


def spell(document: Path, out: Path, spelling: str) -> None:
    """Write `document` once more, spelled otherwise."""
    with out.open("w", encoding="utf-8") as file:
        file.write(json.dumps(orjson.loads(document.read_bytes()), **SPELLINGS[spelling]))
