"""Makes one large rollout in the manner of Codex, with known faults."""

import base64
import random
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import orjson

from tests.benchmarks.generate import (
    BASE58,
    DUPLICATES,
    MEGABYTE,
    ORPHANS,
    QUESTIONS,
    START,
    UNANSWERED,
    Facts,
    Texts,
)

THREAD = "0199f1d2-7c00-7aa0-b111-000000000001"


class Rollout:
    """Writes lines as Codex does: an item a line, and for the screen much of it once more as an event."""

    def __init__(self, out: BinaryIO, facts: Facts) -> None:
        self.rng = random.Random(facts.seed)
        self.texts = Texts(self.rng)
        self.facts = facts
        self._out = out
        self._time = START
        instructions = {"text": self.texts.plain(20_000, 20_000)}
        meta = {"id": THREAD, "cwd": "/home/ana/harbour", "originator": "codex_cli_rs", "cli_version": "0.146.0"}
        self.line("session_meta", meta | {"source": "cli", "base_instructions": instructions})

    def line(self, kind: str, payload: dict[str, Any]) -> None:
        self._time += timedelta(milliseconds=self.rng.randint(20, 7000))
        when = f"{self._time:%Y-%m-%dT%H:%M:%S}.{self._time.microsecond // 1000:03}Z"
        raw = orjson.dumps({"timestamp": when, "type": kind, "payload": payload})
        self._out.write(raw + b"\n")
        self.facts.bytes += len(raw) + 1
        self.facts.records += 1

    def item(self, kind: str, **fields: Any) -> None:
        self.line("response_item", {"type": kind, **fields})

    def event(self, kind: str, **fields: Any) -> None:
        self.line("event_msg", {"type": kind, **fields})

    def says(self, role: str, text: str) -> None:
        part = "input_text" if role == "user" else "output_text"
        self.item("message", role=role, content=[{"type": part, "text": text}])
        self.event("user_message" if role == "user" else "agent_message", message=text)

    def turn(self) -> None:
        self.event("task_started", model_context_window=272_000)
        policy = {"mode": "workspace-write", "network_access": False}
        context = {"cwd": "/home/ana/harbour", "approval_policy": "on-request", "sandbox_policy": policy}
        self.line("turn_context", context | {"model": "gpt-5.5-codex", "effort": "medium", "summary": "auto"})
        self.says("user", self.rng.choice(QUESTIONS) + " " + self.texts.plain(0, 500))
        for _ in range(self.rng.randint(2, 30)):
            self.exchange()
        self.says("assistant", self.texts.plain(80, 1500))
        self.event("task_complete", last_agent_message="done")

    def exchange(self) -> None:
        """Reasoning, one or a few calls, and their outputs."""
        rng, facts, text = self.rng, self.facts, self.texts.plain
        thought = [{"type": "summary_text", "text": text(40, 400)}]
        sealed = base64.b64encode(rng.randbytes(rng.randint(400, 2500))).decode()
        self.event("agent_reasoning", text=thought[0]["text"])
        self.item("reasoning", summary=thought, content=None, encrypted_content=sealed)
        calls = [(self._id(), rng.random() < 0.15) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        facts.calls += len(calls)
        for call_id, custom in calls:
            self._call(call_id, custom)
        for call_id, custom in calls:
            kind = "custom_tool_call_output" if custom else "function_call_output"
            if rng.randrange(1000) < UNANSWERED:
                facts.unanswered += 1
                continue
            facts.results += 1
            size = int(min(40_000, 200 + rng.lognormvariate(7.3, 1.2)))
            self.item(kind, call_id=call_id, output=text(size, size))
            if rng.randrange(1000) < DUPLICATES:
                facts.duplicates += 1
                self.item(kind, call_id=call_id, output="the same once more")
        if rng.randrange(1000) < ORPHANS:
            facts.orphans += 1
            facts.results += 1
            self.item("function_call_output", call_id=self._id(), output=text(30, 900))
        self._count()

    def _count(self) -> None:
        """The event behind every response: tokens, and what is left of the limits."""
        rng = self.rng
        counts = [rng.randint(9000, 160_000), rng.randint(1000, 9000), rng.randint(1, 1200), rng.randint(1, 600)]
        names = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
        usage = dict(zip(names, counts, strict=True)) | {"total_tokens": counts[0] + counts[2]}
        info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 272_000}
        limit = {"used_percent": 28.0, "window_minutes": 10_079, "resets_at": 1_775_000_000}
        self.event("token_count", info=info, rate_limits={"limit_id": "codex", "primary": limit, "secondary": limit})

    def _call(self, call_id: str, custom: bool) -> None:
        text = self.texts.plain
        if custom:
            patch = "*** Begin Patch\n" + text(200, 3000) + "\n*** End Patch"
            self.item("custom_tool_call", status="completed", call_id=call_id, name="apply_patch", input=patch)
            return
        arguments = orjson.dumps({"cmd": text(15, 280), "workdir": "/home/ana/harbour"}).decode()
        self.item("function_call", name="exec_command", arguments=arguments, call_id=call_id)

    def _id(self) -> str:
        return "call_" + "".join(self.rng.choices(BASE58, k=24))


def generate_rollout(out: Path, megabytes: float, seed: int = 1) -> Facts:
    """Write the rollout to `out` and its facts to a .facts beside it."""
    facts = Facts("rollout", seed)
    with out.open("wb", buffering=1 << 20) as file:
        rollout = Rollout(file, facts)
        while facts.bytes < megabytes * MEGABYTE:
            rollout.turn()
    out.with_suffix(".facts").write_bytes(msgspec.json.encode(facts))
    return facts
