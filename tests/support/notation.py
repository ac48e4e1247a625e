"""A short notation for histories, and its rendering in the four formats that most tests use.

    u"hi" | a"text"{A,B} | r(A=x,B=y)+"then this" | a"ok"

Turns are separated by `|`. `u` and `a` alone say "u" and "a". Calls: `{A}`, `{A@Bash p=1}` (id, tool, input), and
`{A =null}` where the input is no object.
Results: `r(A=x)`, with the error flag `r!(A=x)`; `PH(A)` and `PH!(A)` are placeholders, `note(A=x)` is a user text
that quotes the result x of A. `th` is a thinking block, `[th=why]` one that says why, `A[m1]{B}` a fragment of m1,
`dev"…"` a developer message. `s{S}` is a call that the provider's own server carries out, `sr(S)` its result.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

PLACEHOLDER_START = "[No result was recorded for this call to"
PLACEHOLDER = PLACEHOLDER_START + " {}. It may or may not have run; check the current state before repeating it.]"
TOOL = "Read"
SESSION = "11111111-2222-4333-8444-555555555555"


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Thinking:
    text: str = "th"


@dataclass(frozen=True)
class Call:
    id: str
    name: str = TOOL
    input: Any = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    id: str
    text: str
    error: bool = False


@dataclass(frozen=True)
class ServerCall:
    """`runs_code`: it may wait while the code calls the user's tools."""

    id: str
    runs_code: bool = False


@dataclass(frozen=True)
class ServerResult:
    id: str


@dataclass(frozen=True)
class Note:
    """Only in expected outputs: a user text that holds the id and the text of an orphan result."""

    id: str
    text: str


@dataclass(frozen=True)
class Odd:
    """Something that no provider takes, as the reader met it."""

    what: str


Part = Text | Thinking | Call | Result | ServerCall | ServerResult | Note | Odd


@dataclass(frozen=True)
class Turn:
    role: str  # user, assistant, developer
    parts: tuple[Part, ...]
    message: str = ""  # the message id that fragments share

    def of(self, kind: type) -> list[Any]:
        return [part for part in self.parts if isinstance(part, kind)]


History = list[Turn]


class NotExpressible(Exception):
    """The format has no place for this."""


def _words(part: Part) -> str:
    """What somebody said. Raises NotExpressible for anything else."""
    if not isinstance(part, Text | Note):
        raise NotExpressible(f"{part} in a message of words alone")
    return part.text


# --- notation → history

_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*"'  # some texts are megabytes long: what is no escape is passed over at once


def parse(text: str) -> History:
    return [_turn(chunk) for chunk in _split(text, "|¦")]


def _split(text: str, separators: str) -> list[str]:
    """Split at separators that stand outside quotes and brackets."""
    chunks, depth, start = [], 0, 0
    for match in re.finditer(_QUOTED + r"|[({\[]|[)}\]]|[" + re.escape(separators) + "]", text):
        token = match[0]
        if token in "({[":
            depth += 1
        elif token in ")}]":
            depth -= 1
        elif token[0] != '"' and not depth:
            chunks.append(text[start : match.start()].strip())
            start = match.end()
    return [chunk for chunk in [*chunks, text[start:].strip()] if chunk]


def _turn(chunk: str) -> Turn:
    if match := re.fullmatch(r"dev(\".*\")", chunk):
        return Turn("developer", (Text(json.loads(match[1])),))
    if match := re.match(r"A\[(\w+)\]|a(?=$|[\[\"{ s])", chunk):
        return Turn("assistant", tuple(_assistant_parts(chunk[match.end() :])), match[1] or "")
    rest = chunk[1:] if chunk.startswith("u") else chunk
    return Turn("user", tuple(_user_parts(rest)))


def _assistant_parts(rest: str) -> Iterable[Part]:
    if not rest:
        yield Text("a")
    for match in re.finditer(rf"\[?th(?:=([\w-]+))?\]?|({_QUOTED})|s\{{(\w+)\}}|sr\((\w+)\)|\{{(.*?)\}}$", rest):
        if match[2]:
            yield Text(json.loads(match[2]))
        elif match[3]:
            yield ServerCall(match[3])
        elif match[4]:
            yield ServerResult(match[4])
        elif match[5] is not None:
            yield from map(_call, _split(match[5], ","))
        else:
            yield Thinking(match[1] or "th")


def _call(text: str) -> Call:
    name, *arguments = _split(text, " ")
    id_, _, tool = name.partition("@")
    entries = {key: _value(value) for key, _, value in map(_cut, arguments)}
    return Call(_plain(id_), tool or TOOL, entries.get("", entries))


def _user_parts(rest: str) -> Iterable[Part]:
    if not rest:
        yield Text("u")
    for item in _split(rest, "+,"):
        if item.startswith('"'):
            yield Text(json.loads(item))
            continue
        match = re.fullmatch(r"(r|PH|note)(!?)\((.*)\)", item)
        if not match:
            raise ValueError(f"not in the notation: {item}")
        for entry in _split(match[3], ","):
            id_, _, value = _cut(entry)
            if match[1] == "note":
                yield Note(_plain(id_), _plain(value))
            else:
                text = PLACEHOLDER.format(TOOL) if match[1] == "PH" else _plain(value)
                yield Result(_plain(id_), text, bool(match[2]))


def _cut(text: str) -> tuple[str, str, str]:
    """Split at the first `=` outside of quotes."""
    match = re.match(rf'({_QUOTED}|[^="]*)(=?)(.*)', text)
    assert match
    return match[1], match[2], match[3]


def _plain(text: str) -> str:
    return json.loads(text) if text.startswith('"') else text


def _value(text: str) -> Any:
    return json.loads(text) if re.fullmatch(r"-?\d+|null|[\[{\"].*", text) else text


# --- history → notation


def show(history: Sequence[Turn]) -> str:
    return " | ".join(map(_show_turn, history))


def _show_turn(turn: Turn) -> str:
    if turn.role == "developer":
        return "dev" + "+".join(_quoted(part.text) for part in turn.of(Text))
    if turn.role == "assistant":
        head = f"A[{turn.message}]" if turn.message else "a"
        calls = ",".join(map(_show_call, turn.of(Call)))
        before = "".join(_show_assistant_part(part) for part in turn.parts if not isinstance(part, Call))
        shown = before + (f"{{{calls}}}" if calls else "")
        return head if shown == '"a"' else head + " " * shown.startswith("s") + shown
    shown, last = "", None
    for part in turn.parts:
        if last is not None:
            shown += "," if isinstance(part, Result) and isinstance(last, Result) else "+"
        shown, last = shown + _show_user_part(part), part
    if shown == '"u"':
        return "u"
    return f"u{shown}" if all(isinstance(part, Text) for part in turn.parts) else shown


def _show_assistant_part(part: Part) -> str:
    if isinstance(part, Thinking):
        return "[th]" if part.text == "th" else f"[th={part.text}]"
    if isinstance(part, ServerCall):
        return f"s{{{part.id}}}"
    if isinstance(part, ServerResult):
        return f"sr({part.id})"
    return _quoted(part.text) if isinstance(part, Text) else f"<{part}>"


def _show_call(call: Call) -> str:
    tool = f"@{call.name}" if call.name != TOOL else ""
    entries = call.input.items() if isinstance(call.input, dict) else [("", call.input)]
    return " ".join([_bare(call.id) + tool, *(f"{key}={_bare(value)}" for key, value in entries)])


def _show_user_part(part: Part) -> str:
    if isinstance(part, Text):
        return _quoted(part.text)
    if isinstance(part, Note):
        return f"note({_bare(part.id)}={_bare(part.text)})"
    if isinstance(part, Result):
        flag = "!" if part.error else ""
        if part.text.startswith(PLACEHOLDER_START):
            return f"PH{flag}({_bare(part.id)})"
        return f"r{flag}({_bare(part.id)}={_bare(part.text)})"
    return f"<{part}>"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _bare(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if re.fullmatch(r"[\w.:*-]+", text) else _quoted(text)


# --- history → the bytes of a log


def uuid(number: int) -> str:
    """A readable uuid of the usual 36 characters."""
    return f"00000000-0000-4000-8000-{number:012d}"


def clock(number: int) -> str:
    """A time of day, ten seconds a record: further apart than Claude Code's five second fallback."""
    minutes, seconds = divmod(number * 10, 60)
    return f"2026-01-01T{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}.000Z"


def lines(records: Iterable[Any]) -> bytes:
    """Compact JSON Lines, as the agents write them."""
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )


def records(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def _anthropic_block(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Thinking):
        return {"type": "thinking", "thinking": part.text, "signature": "c2lnbmF0dXJl"}
    if isinstance(part, Call):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.input}
    if isinstance(part, ServerCall):
        return {"type": "server_tool_use", "id": part.id, "name": "web_search", "input": {"query": "q"}}
    if isinstance(part, ServerResult):
        return {"type": "web_search_tool_result", "tool_use_id": part.id, "content": []}
    if isinstance(part, Result):
        flag = {"is_error": True} if part.error else {}
        return {"type": "tool_result", "tool_use_id": part.id, "content": part.text} | flag
    raise NotExpressible(str(part))


def _anthropic_content(turn: Turn) -> Any:
    if turn.role == "user" and len(turn.parts) == 1 and isinstance(turn.parts[0], Text):
        return turn.parts[0].text
    return [_anthropic_block(part) for part in turn.parts]


def anthropic_messages(history: History) -> list[dict[str, Any]]:
    if any(turn.role == "developer" for turn in history):
        raise NotExpressible("a developer message")
    return [{"role": turn.role, "content": _anthropic_content(turn)} for turn in history]


def anthropic(history: History, *, bare: bool = False) -> bytes:
    """Anthropic Messages: a request body, or the bare list; indented by two."""
    messages = anthropic_messages(history)
    document = messages if bare else {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": messages}
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def openai_messages(history: History) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for turn in history:
        if turn.of(Thinking):
            raise NotExpressible("a thinking block")
        if turn.role == "assistant":
            texts = [part.text for part in turn.of(Text)]
            message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) if texts else None}
            if calls := turn.of(Call):
                message["tool_calls"] = [
                    {
                        "id": call.id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": json.dumps(call.input)},
                    }
                    for call in calls
                ]
            messages.append(message)
            continue
        for part in turn.parts:
            if isinstance(part, Result):
                messages.append({"role": "tool", "tool_call_id": part.id, "content": part.text})
            else:
                messages.append({"role": turn.role, "content": _words(part)})
    return messages


def openai(history: History, *, bare: bool = False) -> bytes:
    """OpenAI chat: a request body, or the bare list; on one line with the usual spaces."""
    messages = openai_messages(history)
    document = messages if bare else {"model": "gpt-4o", "messages": messages}
    return json.dumps(document, ensure_ascii=False).encode() + b"\n"


def claude_code_records(history: History, *, fork: bool = False) -> list[dict[str, Any]]:
    """Claude Code: one content block a line. With `fork` a result hangs under its call's line, as since 2.1."""
    made: list[dict[str, Any]] = []
    line_of_call: dict[str, str] = {}

    def add(kind: str, message: dict[str, Any], **more: Any) -> None:
        parent = made[-1]["uuid"] if made else None
        if fork and "sourceToolAssistantUUID" in more:
            parent = more["sourceToolAssistantUUID"]
        made.append(
            {"parentUuid": parent, "isSidechain": False, "type": kind, "message": message}
            | {"uuid": uuid(len(made) + 1), "timestamp": clock(len(made)), "userType": "external"}
            | {"cwd": "/w", "sessionId": SESSION, "version": "2.1.112", "gitBranch": "main"}
            | more
        )

    for number, turn in enumerate(history):
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        if turn.role == "assistant":
            reason = "tool_use" if turn.of(Call) else "end_turn"
            for part in turn.parts:
                message = {
                    "id": f"msg_{turn.message or number}",
                    "type": "message",
                    "role": "assistant",
                    "model": "claude-sonnet-4-5",
                    "content": [_anthropic_block(part)],
                    "stop_reason": reason,
                    "stop_sequence": None,
                    "usage": {"input_tokens": 10, "output_tokens": 5},
                }
                add("assistant", message, requestId=f"req_{turn.message or number}")
                if isinstance(part, Call):
                    line_of_call[part.id] = made[-1]["uuid"]
            continue
        only_results = all(isinstance(part, Result) for part in turn.parts)
        for parts in [(part,) for part in turn.parts] if only_results else [turn.parts]:
            more: dict[str, Any] = {}
            if results := [part for part in parts if isinstance(part, Result)]:
                more["toolUseResult"] = {"stdout": results[0].text, "stderr": "", "interrupted": False}
                if results[0].id in line_of_call:
                    more["sourceToolAssistantUUID"] = line_of_call[results[0].id]
            add("user", {"role": "user", "content": _anthropic_content(Turn("user", parts))}, **more)
    return made


def claude_code(history: History, *, fork: bool = False) -> bytes:
    return lines(claude_code_records(history, fork=fork))


def neovate_records(history: History) -> list[dict[str, Any]]:
    """Neovate: the config line, then a message a line; all results of one turn share a `tool` message."""
    made: list[dict[str, Any]] = [{"type": "config", "config": {"approvalMode": "default", "approvalTools": []}}]
    calls: dict[str, Call] = {}

    def add(role: str, content: Any, **more: Any) -> None:
        parent = made[-1]["uuid"] if len(made) > 1 else None
        made.append(
            {"parentUuid": parent, "uuid": uuid(len(made)), "role": role, "content": content}
            | more
            | {"type": "message", "timestamp": clock(len(made)), "sessionId": "ab12cd34"}
        )

    for turn in history:
        if turn.role == "developer" or turn.of(Thinking):
            raise NotExpressible("a developer message or thinking")
        if turn.role == "assistant":
            text = "".join(part.text for part in turn.of(Text))
            add(
                "assistant",
                [_anthropic_block(part) for part in turn.parts],
                text=text,
                model="p/m",
                usage={"input_tokens": 1, "output_tokens": 1},
            )
            calls |= {call.id: call for call in turn.of(Call)}
            continue
        results: list[dict[str, Any]] = []
        for part in [*turn.parts, None]:
            if isinstance(part, Result):
                call = calls.get(part.id, Call(part.id))
                results.append(
                    {
                        "type": "tool-result",
                        "toolCallId": part.id,
                        "toolName": call.name,
                        "input": call.input,
                        "result": {"llmContent": part.text, "returnDisplay": part.text, "isError": part.error},
                    }
                )
                continue
            if results:
                add("tool", results)
                results = []
            if part is not None:
                add("user", _words(part))
    return made


def neovate(history: History) -> bytes:
    return lines(neovate_records(history))


@dataclass(frozen=True)
class Format:
    """How the tests write a format, and whose rules the session is held to by itself."""

    name: str
    file: str
    render: Callable[[History], bytes]
    profile: str


FORMATS = {
    "anthropic": Format("anthropic", "history.json", anthropic, "anthropic"),
    "openai": Format("openai", "history.json", openai, "openai-chat"),
    "claude-code": Format("claude-code", f"{SESSION}.jsonl", claude_code, "anthropic"),
    "neovate": Format("neovate", "ab12cd34.jsonl", neovate, "anthropic"),
}
