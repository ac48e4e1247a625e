"""A log for each rule in which it finds something, as small as can be: no rule is without a case."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.core.analysis.logs import answered, claude_lines, progress
from tests.core.formats.cline_sdk import SESSION as CLINE_SESSION
from tests.core.formats.cline_sdk import render as cline
from tests.core.formats.codex import FILE as CODEX_FILE
from tests.core.formats.codex import rollout
from tests.core.formats.test_kimi_code import Log as Kimi
from tests.core.repair.test_reasoning import OTHER_CONVERSATION, RESPONSE, session
from tests.core.rules.test_media import image
from tests.support.notation import FORMATS, claude_code_records, lines, neovate_records, parse, uuid

HI: dict[str, Any] = {"role": "user", "content": "hi"}
OK: dict[str, Any] = {"role": "assistant", "content": "ok"}
CLAUDE = claude_code_records(parse('u | a"t"{A} | r(A=alpha) | a"ok"'))
WHOLE = lines(CLAUDE)
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


@dataclass(frozen=True)
class Example:
    """The bytes of a log under a name that its format takes; judged for `profile` where that is another provider."""

    file: str
    data: bytes
    profile: str = ""

    def written(self, folder: Path) -> Path:
        """Where it lies, below a folder."""
        path = folder / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        return path


def told(history: str, name: str = "anthropic", profile: str = "") -> Example:
    return Example(FORMATS[name].file, FORMATS[name].render(parse(history)), profile)


def body(value: Any, profile: str = "") -> Example:
    return Example("log.json", json.dumps(value).encode(), profile)


def messages(*said: Any, profile: str = "") -> Example:
    return body({"messages": [HI, *said], "model": "claude-sonnet-4-5", "max_tokens": 9}, profile)


def chat(*said: Any, profile: str = "", first: Any = HI) -> Example:
    return body({"messages": [first, *said], "model": "gpt-4o"}, profile)


def chat_call(arguments: str, **more: Any) -> dict[str, Any]:
    call = {"id": "A", "type": "function", "function": {"name": "read", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call], **more}


def items(*said: Any) -> Example:
    return body({"input": [HI, *said], "model": "gpt-5"})


def claude(records: Iterable[Any]) -> Example:
    return Example(FORMATS["claude-code"].file, lines(records))


def raw(change: Callable[[bytes], bytes]) -> Example:
    return Example(FORMATS["claude-code"].file, change(WHOLE))


def changed(number: int, **fields: Any) -> list[dict[str, Any]]:
    return [record | fields if at == number else record for at, record in enumerate(CLAUDE)]


def block(kind: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": kind, **more}, {"type": "text", "text": "so"}]}


def broken_off() -> list[dict[str, Any]]:
    records = claude_code_records(parse('u | a{A} | u"go on" | a"ok"'))
    records[1]["message"]["stop_reason"] = "max_tokens"
    return records


def compacted(at: int, named: str | None = None, history: str = "u | a{A} | r(A=alpha) | a") -> list[dict[str, Any]]:
    """With a compaction before record `at`."""
    records = claude_code_records(parse(history))
    keep = {key: records[0][key] for key in ("sessionId", "isSidechain", "version", "timestamp")}
    boundary = keep | {"parentUuid": None, "logicalParentUuid": named or records[at - 1]["uuid"], "uuid": uuid(99)}
    boundary |= {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"}
    boundary["compactMetadata"] = {"trigger": "auto", "preTokens": 9}
    records[at]["parentUuid"] = uuid(99)
    return [*records[:at], boundary, *records[at:]]


def stranded() -> list[dict[str, Any]]:
    """The result hangs off the call, and what the user says next does, too: Neovate does not look for siblings."""
    records = neovate_records(parse("u | a{A} | r(A=alpha) | u"))
    records[-1]["parentUuid"] = records[2]["uuid"]
    return records


def unnamed() -> Example:
    """A result of Cline's that does not name its tool."""
    document = json.loads(cline(parse("u | a{A} | r(A=alpha) | a")))
    del document["messages"][2]["content"][0]["name"]
    return Example(f"{CLINE_SESSION}.messages.json", json.dumps(document).encode())


def of_a_subagent() -> list[dict[str, Any]]:
    """A result in the main thread whose call is in a side thread."""
    side = claude_code_records(parse("u | a{S}"))
    for number, record in enumerate(side):
        record |= {"isSidechain": True, "uuid": uuid(50 + number), "parentUuid": uuid(49 + number) if number else None}
    side[1]["message"]["id"] = "msg_of_its_own"  # else it were a fragment of the main thread's message
    return [*side, *claude_code_records(parse("u | a | r(S=sigma) | a"))]


def deferred() -> list[dict[str, Any]]:
    records = claude_code_records(parse("u | a{A}"))
    said = {"type": "hook_deferred_tool", "toolUseID": "A", "toolName": "Read"}
    noted = {key: records[1][key] for key in ("sessionId", "isSidechain", "timestamp")}
    return [*records, noted | {"type": "attachment", "uuid": uuid(9), "parentUuid": uuid(2), "attachment": said}]


def failed() -> list[dict[str, Any]]:
    records = claude_code_records(parse("u | a"))
    records[-1] |= {"isApiErrorMessage": True}
    records[-1]["message"] |= {"model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 400 closed"}]}
    return records


def refer(records: list[dict[str, Any]]) -> None:
    records[2]["message"]["content"][0]["content"] = [{"type": "tool_reference", "tool_name": "Sync"}]


UNAVAILABLE = "API Error: 400 Tool reference 'Sync' not found in available tools"
CALL = {"type": "function_call", "call_id": "A", "name": "read", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "A", "output": "alpha"}
FUNCTION = {"name": "read", "arguments": "{}"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
IN_GEMINI = [
    {"role": "user", "parts": [{"text": "hi"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
]
MISNAMED = [
    {"role": "user", "parts": [{"text": "hi"}]},
    {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "f", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "g", "response": {}}}]},
]
CUT = Kimi().user("q").open("A").compact(9).give("A", "real").leave()
LISTED = [
    {"type": "human", "data": {"content": "hi"}},
    {"type": "ai", "data": {"content": [{"type": "tool_use", "id": "A", "name": "Read", "input": {}}]}},
    {"type": "human", "data": {"content": "go on"}},
]
ASKS = {"role": "assistant", "content": [{"text": "and now?"}]}
CONVERSE: dict[str, Any] = {
    "modelId": "m",
    "messages": [
        {"role": "user", "content": [{"text": "hi"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "A", "name": "f", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "A", "content": [{"text": "x"}]}}]},
    ],
}

EACH_RULE: dict[str, Example] = {
    "C1": claude(compacted(2, history="u | r(A=alpha) | a{A} | u")),
    "C2": claude(compacted(2)),
    "C3": Example("wire.jsonl", lines(CUT.records)),
    "D1": told("u | a{A}"),
    "D2": told("u | a{A} | u"),
    "D3": told("u | a{A,B} | r(A=alpha) | a"),
    "D4": told("u | a{A} | a{B} | u"),
    "D5": claude(broken_off()),
    "D6": claude(deferred()),
    "D7": body(LISTED),
    "E1": claude(failed()),
    "E2": claude(claude_lines(progress({"type": "bash_progress"}), answered(REFUSED))),
    "F1": raw(lambda whole: whole + b'{"type":"assis'),
    "F2": raw(lambda whole: whole.replace(b"}\n{", b"}{", 1)),
    "F3": raw(lambda whole: whole.replace(b"\n", b"\n" + bytes(300) + b"\n", 1)),
    "F4": raw(lambda whole: whole.replace(b',"message":', b',\n"message":', 1)),
    "F5": raw(lambda whole: whole.replace(b"alpha", b"al\xffpha")),
    "F6": raw(lambda whole: whole.replace(b"\n", b"\n-- no json --\n", 1)),
    "F7": raw(lambda whole: whole.replace(b"alpha", b"al\\ud83dpha")),
    "F8": raw(lambda whole: whole.replace(b"\n", b"\n\xef\xbb\xbf", 1)),
    "G1": claude(changed(2, parentUuid=uuid(77))),
    "G2": claude(changed(0, parentUuid=CLAUDE[2]["uuid"])),
    "G3": claude(changed(3, parentUuid=CLAUDE[0]["uuid"])),
    "G4": claude(changed(3, uuid=CLAUDE[1]["uuid"])),
    "G5": Example(FORMATS["neovate"].file, lines(stranded())),
    "G6": claude(changed(0, sessionId=uuid(66))),
    "G7": claude(compacted(2, uuid(77), "u | a | u | a")),
    "G8": Example(
        CODEX_FILE,
        rollout(("event_msg", {"type": "user_message"}), history_mode="paginated").replace(
            b'"ordinal":1', b'"ordinal":0'
        ),
    ),
    "K1": told("u | a{A} | r(A=x) | u | a{A} | r(A=y) | a"),
    "K2": told("u | a{A p=1,A p=2} | r(A=x,A=y) | a"),
    "K3": told('u | a{""} | r(""=x) | a'),
    "K4": told("u | a{f:0} | r(f:0=x) | a"),
    "K5": items({**CALL, "id": "fc_1"}, {**OUTPUT, "call_id": "fc_1"}),
    "K6": told("u | a{A =[1]} | r(A=x) | a"),
    "K7": messages(block("tool_use", id="A", name="", input={})),
    "K8": body(CONVERSE),
    "K9": chat({"role": "assistant", "tool_calls": [{"id": "A", "function": FUNCTION}]}),
    "K11": unnamed(),
    "K10": items({**SAID, "id": uuid(1)}),
    "K12": items({**CALL, "id": "fc_1"}, OUTPUT, {**CALL, "id": "fc_1", "call_id": "B"}, {**OUTPUT, "call_id": "B"}),
    "K13": body({"contents": MISNAMED}),
    "M2": body({"modelId": "m", "messages": [*CONVERSE["messages"], ASKS, ASKS]}),
    "M3": body({"modelId": "m", "messages": [CONVERSE["messages"][0], *CONVERSE["messages"]]}),
    "M4": told("a | u"),
    "M5": told("u | a", profile="mistral"),
    "M6": messages(block("text", text="")),
    "M7": messages({"role": "assistant", "content": ""}, HI),
    "M8": told("u | a[th] | u"),
    "M9": chat({**OK, "tool_calls": []}),
    "M10": told("u | a{A} | r(A=x) | u", profile="mistral"),
    "M11": messages(block("tool_use", id="A", name="read", input={}), {"role": "user", "content": "x"}),
    "M12": messages({"role": "user", "content": [{"type": "text", "text": 5}]}, block("thinking", thinking="t")),
    "M13": messages(OK, {"role": "system", "content": "Be brief."}, HI),
    "K14": chat(chat_call("[1]"), profile="qwen-3.5"),
    "M14": chat(first=OK, profile="qwen-3.5"),
    "M15": chat(HI, profile="mistral-small"),
    "M16": chat(chat_call("{}", content="a", thinking="b"), profile="gpt-oss"),
    "M17": chat({"role": "user", "content": [{"type": "reference"}]}, profile="ministral-3"),
    "R1": told("u | a | r(A=x) | a"),
    "R2": told("u | r(A=x) | a{A} | u"),
    "R3": told("u | a{A} | u | r(A=x) | a", "openai"),
    "R4": told("u | a{A} | u | a | r(A=x) | a"),
    "R5": told("u | a{A} | r(A=x,A=x) | a"),
    "R6": told("u | a{A} | PH(A) | a | r(A=x) | a"),
    "R7": told("u | a{A} | r(A=x,A=y) | a"),
    "R8": told("u | a{A} | r(X=x) | a"),
    "R9": told('u | a{A} | "n"+r(A=x) | a'),
    "R10": told("u | a{A,B} | r(A=x) | r(B=y) | a", profile="gemini"),
    "R11": messages(
        block("tool_use", id="A", name="read", input={}), block("tool_result", tool_use_id="A", content="x")
    ),
    "R12": claude(of_a_subagent()),
    "R13": told("u | a{A} | PH(A) | a"),
    "T1": messages(
        block("thinking", thinking="hm", signature="c2ln"), HI, block("thinking", thinking="hm", signature="")
    ),
    "T2": told('u | a[th]"t" | r(A=alpha) | u'),
    "T3": Example(
        FORMATS["claude-code"].file, session('u | a[th]"one" | u | a[th]"two" | u', error=OTHER_CONVERSATION % 3)
    ),
    "T4": items(THOUGHT),
    "T5": items({**CALL, "id": f"fc_{RESPONSE}1"}, {**THOUGHT, "id": f"rs_{RESPONSE}0"}, OUTPUT),
    "T6": body({"contents": IN_GEMINI, "model": "gemini-3-pro"}),
    "T7": items(THOUGHT, CALL, OUTPUT, THOUGHT, SAID),
    "T8": items({**THOUGHT, "content": [{"type": "reasoning_text", "text": "hm"}]}, CALL, OUTPUT),
    "T9": messages({"role": "user", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]}),
    "V1": messages({"role": "user", "content": [image(9000, 9)]}),
    "X1": told("u | a s{S} | u"),
    "X2": told('u | a sr(S)"t" | u'),
    "X3": Example(FORMATS["claude-code"].file, session("u | a{A} | r(A=x) | a | u", refer, UNAVAILABLE)),
}
# M1 tells why what looks broken is not: agents write a message in fragments, and it never finds anything.
FINDS_NOTHING = {"M1": told("u | A[m1]th | A[m1]{A} | r(A=x) | a", "claude-code")}
