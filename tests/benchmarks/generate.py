"""Makes large logs in the manner of Claude Code, with known faults, for the benchmarks.

    python -m tests.benchmarks.generate OUT.jsonl --mode mixed --size 100 --seed 1 [--broken 0.5]

Modes: `mixed`, a day's work of `--size` megabytes with a few faults in a thousand exchanges, or with `--broken` percent
of its pairs unanswered, orphaned, displaced or doubled; `dangling`, `--size` thousand calls none of which has a result;
`results-last`, `--size` thousand calls, ten a turn, and then all their results, shuffled; `reused`, `--size` thousand
exchanges in which a hundredth as many ids serve again and again. The same arguments make the same bytes. `OUT.json`
next to the log holds what is true of it: see `Facts`.
"""

import argparse
import base64
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import msgspec
import orjson

MEGABYTE = 1_000_000
START = datetime(2026, 4, 1, 8, tzinfo=UTC)

WORDS = """
if else return await async const let export import from class self None True False def yield raise except
assert expect(total).toBe( "quoted text" 'single' \\path\\to\\file <div class="card"> </div> && || => != == // # /* */
pump valve kettle harbour ledger orchard lantern compass granary violin meadow quarry saddle thimble
config.yaml src/harbour/tides.py tests/test_tides.py package.json 127.0.0.1:8080 0x7ffd 3.14159 -42 1e-9
ERROR WARN INFO PASSED FAILED Traceback (most recent call last): KeyError: 'tide' at line 118 in compute
\x1b[32mok\x1b[0m \x1b[31mfail\x1b[0m → ✓ ✗ … naïve façade Straße 港口 潮汐 日志 工具 结果 修复 灯塔 データ 検索 조수 🌊
""".split()
QUESTIONS = (
    "The tide table is an hour late since the clocks changed. Where does that come from?",
    "Please add a test for an empty ledger, and mend what it finds.",
    "潮汐表比实际时间晚了一个小时，请找出原因并修复。",
    "Rename the valve module; keep the old import working for one release.",
)
# How often a tool is called, of a hundred calls.
TOOLS = {"Read": 28, "Bash": 28, "Edit": 16, "Grep": 10, "Glob": 4, "Write": 6, "TodoWrite": 6, "Task": 2}
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

# Calls a turn in `results-last`: only the last turn's results are where they belong.
TURN = 10
# Faults a thousand exchanges, and pictures a thousand results.
UNANSWERED, ORPHANS, DUPLICATES, PICTURES = 2, 1, 1, 4
# Calls for each id in `reused`.
REUSE = 100


class Faults(NamedTuple):
    """How often each befalls a call (an exchange, for an orphan), of a thousand."""

    unanswered: float = 0
    orphans: float = 0
    duplicates: float = 0
    displaced: float = 0


NO_FAULTS, A_FEW = Faults(), Faults(UNANSWERED, ORPHANS, DUPLICATES)
# Calls an exchange: an orphan is drawn once an exchange, and is to be as frequent as what is drawn for every call.
CALLS = 1.5


class Facts(msgspec.Struct):
    """What is true of a log. `calls` and `results` count distinct ids; the other five count faults."""

    mode: str
    seed: int
    bytes: int = 0
    records: int = 0
    calls: int = 0
    results: int = 0
    unanswered: int = 0
    orphans: int = 0
    duplicates: int = 0
    displaced: int = 0
    reused: int = 0


class Texts:
    """Slices of one pool of made-up lines, as large as asked for."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        lines = ["    " * rng.randrange(4) + " ".join(rng.choices(WORDS, k=rng.randint(2, 15))) for _ in range(7000)]
        self._plain = "\n".join(lines)
        self._numbered = "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1))
        self._picture = base64.b64encode(rng.randbytes(600_000)).decode()

    def plain(self, low: int, high: int) -> str:
        return self._slice(self._plain, self._rng.randint(low, high))

    def numbered(self, size: int) -> str:
        return self._slice(self._numbered, size)

    def picture(self) -> str:
        start = 4 * self._rng.randrange(len(self._picture) // 8)
        return self._picture[start:]

    def _slice(self, pool: str, size: int) -> str:
        start = self._rng.randrange(len(pool) - size)
        return pool[start : start + size]


class Writer(Protocol):
    """Who writes a log: its random numbers and its texts."""

    rng: random.Random
    texts: Texts


class Log:
    """Writes records as Claude Code does: one block a line, results hanging under the line of their call.

    `late` are calls whose results are still to come.
    """

    def __init__(self, out: BinaryIO, facts: Facts) -> None:
        self.rng = random.Random(facts.seed)
        self.texts = Texts(self.rng)
        self.facts = facts
        self._out = out
        self._time = START
        self._session = self.uuid()
        self._leaves: dict[str, str | None] = {"": None}
        self._agent = ""
        self.late: list[str] = []

    def uuid(self) -> str:
        digits = self.rng.randbytes(16).hex()
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def id(self, prefix: str) -> str:
        return prefix + "".join(self.rng.choices(BASE58, k=22))

    def start_agent(self) -> None:
        """What follows belongs to a subagent's side thread, until `end_agent`."""
        self._agent = self.rng.randbytes(4).hex()
        self._leaves[self._agent] = None

    def end_agent(self) -> None:
        del self._leaves[self._agent]
        self._agent = ""

    def metadata(self) -> None:
        message = self.uuid()
        snapshot = {"messageId": message, "trackedFileBackups": {}, "timestamp": self._now()}
        self._write(
            {"type": "file-history-snapshot", "messageId": message, "snapshot": snapshot, "isSnapshotUpdate": False}
        )

    def prompt(self, text: str) -> None:
        self._chained({"type": "user", "message": {"role": "user", "content": text}})

    def block(self, message_id: str, block: dict[str, Any], stop: str = "tool_use") -> str:
        """One block of an assistant's message; returns the record's uuid."""
        rng = self.rng
        usage = {
            "input_tokens": rng.randint(1, 9),
            "cache_creation_input_tokens": rng.randint(0, 6000),
            "cache_read_input_tokens": rng.randint(9000, 160_000),
            "output_tokens": rng.randint(1, 1200),
            "service_tier": "standard",
        }
        message = {
            "model": "claude-sonnet-4-5-20250929",
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        return self._chained({"message": message, "requestId": self.id("req_011C"), "type": "assistant"})

    def call(self, message_id: str, tool: str, arguments: dict[str, Any], call_id: str = "") -> tuple[str, str]:
        """A call; returns its id (a new one where none is given) and its record's uuid."""
        if not call_id:
            call_id = self.id("toolu_01")
            self.facts.calls += 1
        return call_id, self.block(message_id, {"type": "tool_use", "id": call_id, "name": tool, "input": arguments})

    def result(self, call_id: str, content: Any, extra: Any = None, source: str = "", error: bool = False) -> None:
        """A result; with `source` it hangs under that record, else under the newest."""
        block = {"tool_use_id": call_id, "type": "tool_result", "content": content}
        if error:
            block["is_error"] = True
        record: dict[str, Any] = {"type": "user", "message": {"role": "user", "content": [block]}}
        after = {} if extra is None else {"toolUseResult": extra}
        if source:
            after["sourceToolAssistantUUID"] = source
        self._chained(record, after, source)

    def _chained(self, record: dict[str, Any], after: dict[str, Any] | None = None, parent: str = "") -> str:
        uuid = self.uuid()
        head = {"parentUuid": parent or self._leaves[self._agent], "isSidechain": bool(self._agent)}
        if self._agent:
            head["agentId"] = self._agent
        tail = {
            "userType": "external",
            "entrypoint": "cli",
            "cwd": "/home/ana/harbour",
            "sessionId": self._session,
            "version": "2.1.112",
            "gitBranch": "main",
        }
        self._write(head | record | {"uuid": uuid, "timestamp": self._now()} | (after or {}) | tail)
        self._leaves[self._agent] = uuid
        return uuid

    def _write(self, record: dict[str, Any]) -> None:
        line = orjson.dumps(record)
        self._out.write(line)
        self._out.write(b"\n")
        self.facts.bytes += len(line) + 1
        self.facts.records += 1

    def _now(self) -> str:
        self._time += timedelta(milliseconds=self.rng.randint(20, 7000))
        return f"{self._time:%Y-%m-%dT%H:%M:%S}.{self._time.microsecond // 1000:03}Z"


def arguments(log: Writer, tool: str) -> dict[str, Any]:
    text = log.texts.plain
    path = f"/home/ana/harbour/src/{log.rng.randrange(10**6)}.py"
    match tool:
        case "Read":
            return {"file_path": path, "offset": log.rng.randint(1, 900), "limit": 200}
        case "Bash":
            return {"command": text(15, 280), "description": text(15, 50)}
        case "Edit":
            return {"file_path": path, "old_string": text(40, 1400), "new_string": text(40, 2100)}
        case "Write":
            return {"file_path": path, "content": text(300, 9000)}
        case "Task":
            return {"description": text(15, 40), "prompt": text(300, 2500), "subagent_type": "general-purpose"}
        case "TodoWrite":
            todo = {"content": text(20, 80), "status": "pending", "activeForm": text(20, 80)}
            return {"todos": [todo] * 5}
    return {"pattern": text(8, 30), "path": "/home/ana/harbour", "output_mode": "content"}


def answer(log: Log, tool: str, call_id: str, source: str) -> None:
    """The result of a call: mostly a few thousand characters, now and then very many or a picture."""
    rng = log.rng
    extra: Any = None
    size = int(min(60_000, 200 + rng.lognormvariate(7.3, 1.3)))
    if rng.randrange(1000) < PICTURES:
        picture = {"type": "base64", "media_type": "image/png", "data": log.texts.picture()}
        extra = {"type": "image", "file": {"type": "image/png"}}
        log.result(call_id, [{"type": "image", "source": picture}], extra, source)
        return
    body = log.texts.numbered(size) if tool == "Read" else log.texts.plain(size, size)
    if rng.random() < 0.06:
        log.result(call_id, body, "Error: " + body[:400], source, error=True)
        return
    if tool == "Read":
        lines = body.count("\n") + 1
        extra = {"type": "text", "file": {"filePath": "/x.py", "content": body, "numLines": lines, "startLine": 1}}
    elif rng.random() < 0.8:
        extra = {"stdout": body, "stderr": "", "interrupted": False, "isImage": False}
    log.result(call_id, body, extra, source)


def exchange(log: Log, faults: Faults) -> None:
    """One message of the assistant, its calls, and their results."""
    rng, facts = log.rng, log.facts
    message = log.id("msg_01")
    if rng.random() < 0.4:
        signature = base64.b64encode(rng.randbytes(rng.randint(200, 900))).decode()
        log.block(message, {"type": "thinking", "thinking": log.texts.plain(100, 2800), "signature": signature})
    if rng.random() < 0.5:
        log.block(message, {"type": "text", "text": log.texts.plain(40, 1500)})
    tools = rng.choices(list(TOOLS), list(TOOLS.values()), k=rng.choice((1, 1, 1, 1, 2, 3)))
    calls = [(tool, *log.call(message, tool, arguments(log, tool))) for tool in tools]
    late: list[str] = []
    answered = False
    for tool, call_id, source in calls:
        if tool == "Task" and any(faults):
            side_thread(log)
        if befalls(log, faults.unanswered):
            facts.unanswered += 1
            continue
        facts.results += 1
        if befalls(log, faults.displaced):
            facts.displaced += 1
            late.append(call_id)
            continue
        answer(log, tool, call_id, source)
        answered = True
        if befalls(log, faults.duplicates):
            facts.duplicates += 1
            log.result(call_id, "the same once more", None, source)
    if befalls(log, faults.orphans):
        facts.orphans += 1
        facts.results += 1
        log.result(log.id("toolu_01"), log.texts.plain(30, 900))
    if any(faults):
        arrive(log, late, answered)


def befalls(log: Log, thousandths: float) -> bool:
    return bool(thousandths) and log.rng.random() * 1000 < thousandths


def arrive(log: Log, late: list[str], answered: bool = True) -> None:
    """Results that come behind a prompt, or behind the next exchange; `late` are those of the newest one.

    Nothing stands between that one and the next, unless some of its calls are `answered`.
    """
    for call_id in log.late:
        log.result(call_id, log.texts.plain(200, 3000))
    log.late = []
    if late and (not answered or log.rng.random() < 0.5):
        log.prompt(log.rng.choice(QUESTIONS))
        for call_id in late:
            log.result(call_id, log.texts.plain(200, 3000))
    else:
        log.late = late


def side_thread(log: Log) -> None:
    log.start_agent()
    log.prompt(log.texts.plain(200, 1500))
    for _ in range(log.rng.randint(1, 4)):
        exchange(log, NO_FAULTS)
    log.block(log.id("msg_01"), {"type": "text", "text": log.texts.plain(200, 2500)}, "end_turn")
    log.end_agent()


def mixed(log: Log, megabytes: float, broken: float = 0) -> None:
    """`broken` is the share of pairs that are, in percent; 0 means a few in a thousand."""
    each = 10 * broken / 4
    faults = Faults(each, each * CALLS, each, each) if broken else A_FEW
    while log.facts.bytes < megabytes * MEGABYTE:
        if log.rng.random() < 0.2:
            log.metadata()
        log.prompt(log.rng.choice(QUESTIONS) + " " + log.texts.plain(0, 500))
        for _ in range(log.rng.randint(2, 30)):
            exchange(log, faults)
        log.block(log.id("msg_01"), {"type": "text", "text": log.texts.plain(80, 1500)}, "end_turn")
    arrive(log, [])


def dangling(log: Log, thousands: float, broken: float = 0) -> None:
    log.prompt(QUESTIONS[0])
    for number in range(int(thousands * 1000)):
        log.call(log.id("msg_01"), "Bash", {"command": f"ls harbour/{number}"})
    log.facts.unanswered = log.facts.calls


def results_last(log: Log, thousands: float, broken: float = 0) -> None:
    calls: list[str] = []
    for number in range(int(thousands * 1000)):
        if number % TURN == 0:
            log.prompt(QUESTIONS[0])
        calls.append(log.call(log.id("msg_01"), "Bash", {"command": f"ls harbour/{number}"})[0])
    log.rng.shuffle(calls)
    for call_id in calls:
        body = log.texts.plain(20, 300)
        log.result(call_id, body, {"stdout": body, "stderr": "", "interrupted": False, "isImage": False})
    log.facts.results = len(calls)
    log.facts.displaced = len(calls) - TURN


def reused(log: Log, thousands: float, broken: float = 0) -> None:
    ids = max(1, int(thousands * 1000) // REUSE)
    for number in range(int(thousands * 1000)):
        if number % TURN == 0:
            log.prompt(QUESTIONS[0])
        call_id = f"call_{number % ids}"
        _, source = log.call(log.id("msg_01"), "Bash", {"command": f"ls harbour/{number}"}, call_id)
        log.result(call_id, log.texts.plain(20, 300), None, source)
    log.facts.calls = log.facts.results = ids
    log.facts.reused = int(thousands * 1000) - ids


MAKERS = {"mixed": mixed, "dangling": dangling, "results-last": results_last, "reused": reused}


def generate(out: Path, mode: str, size: float, seed: int = 1, broken: float = 0) -> Facts:
    """Write the log to `out` and its facts to a .json beside it."""
    facts = Facts(mode, seed)
    with out.open("wb", buffering=1 << 20) as file:
        MAKERS[mode](Log(file, facts), size, broken)
    out.with_suffix(".json").write_bytes(msgspec.json.encode(facts))
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a large log with known faults.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--mode", choices=MAKERS, default="mixed")
    parser.add_argument("--size", type=float, default=100, help="megabytes; thousands of calls for the other modes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--broken", type=float, default=0, help="percent of broken pairs in `mixed`; 0: a few faults")
    options = parser.parse_args()
    facts = generate(options.out, options.mode, options.size, options.seed, options.broken)
    print(msgspec.json.encode(facts).decode())


if __name__ == "__main__":
    main()
