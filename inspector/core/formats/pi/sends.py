"""What pi sends on resume, message by message.

Facts: pi-ai 0.73.1 and 0.87.1, `transformMessages`: a call without a result is answered when the next message of the
user or the assistant comes (before every request the person's own prompt comes last), a result goes out where it
stands, whether a call before it has its id or not. `convertMessages` of each API: what is blank stays out, and so does
a message that says nothing. The versions that were run differ in the ids alone (`sent_ids`).
"""

from itertools import islice
from typing import Any

from inspector.core.bytes.json_text import parse_json, value_at
from inspector.core.formats.bases.request import Message, Request, Sent
from inspector.core.formats.pi.sent_ids import id_for
from inspector.core.formats.pi.threads import header_of
from inspector.core.index.columns import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import Session
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.known_texts.versions import is_older_version
from inspector.core.profiles.by_name import profile_of

_MISSING = PLACEHOLDER_WORDINGS["pi"].text
# The API that pi notes with every answer: whose rules judge it, and on which wire it goes out.
APIS = {
    "anthropic-messages": "anthropic",
    "openai-completions": "openai-chat",
    "openai-responses": "openai-responses",
    "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses",
    "google-generative-ai": "gemini",
    "google-gemini-cli": "gemini",
    "google-vertex": "gemini",
    "bedrock-converse-stream": "bedrock-converse",
    "mistral-conversations": "mistral",
}
_SHAPELESS = "a record without its message, or content that is neither text nor list, stops it"
_NEWEST = 5  # what a repair invents names no model
_WIRES = {"mistral": "openai-chat"}
_NO_SESSION = "Session file is not a valid pi session"
_KEEPS_INVALID_FILES = "0.80.3"
_OVERWRITES = "writes a new session over the file"
_ALL = "the whole session: a file without a header counts as an empty one"


def judged_by(columns: Columns, path: list[int], raw: ReadRecord) -> tuple[str, str]:
    """Profile and wire of the newest answer that tells them; "" where none of the last few does."""
    answers = (record for record in reversed(path) if columns.roles[record] == Role.ASSISTANT)
    for record in islice(answers, _NEWEST):
        message = parse_json(raw(record))["message"]
        provider, model = (str(message.get(key) or "") for key in ("provider", "model"))
        known = APIS.get(str(message.get("api") or ""), "")
        # Whoever passes requests on to Claude passes its refusals back.
        profile = profile_of("openai", model) if known == "openai-chat" else known or profile_of(provider, model)
        if profile:
            return profile, _WIRES.get(known or profile, known or profile)
    return "", ""


def request_of(session: Session, columns: Columns, raw: ReadRecord) -> Request:
    """The messages that a resume of the session sends."""
    path = list(session.main_thread.path)
    wire = judged_by(columns, path, raw)[1] or "openai-chat"
    if not header_of(columns, raw):
        if is_older_version(session.version, _KEEPS_INVALID_FILES):
            return Request(wire, [], _OVERWRITES, lost=(_ALL,))
        return Request(wire, [], stop_reason=_NO_SESSION)
    odd = (raw(record) for record in path if columns.marks[record] & RecordMark.MAYBE_MALFORMED)
    if columns.has_mark(RecordMark.MAYBE_MALFORMED) and any(map(_stops, odd)):
        return Request(wire, [], stop_reason=_SHAPELESS)
    kinds, ids = columns.block_kinds, columns.call_ids
    sent: list[Message] = []
    waiting: list[int] = []
    answered: set[str | None] = set()
    for record in path:
        role = columns.roles[record]
        if role not in (Role.USER, Role.ASSISTANT, Role.TOOL):
            continue
        rows = [
            Sent(row, id=id_for(ids[row], wire, session.version))
            for row in columns.block_rows(record)
            if _goes_out(columns, row, wire)
        ]
        if role == Role.TOOL:
            answered.update(ids[each.row] for each in rows)
        else:
            _add(sent, Role.TOOL, _answers(columns, waiting, answered, wire, session.version))
            waiting, answered = [each.row for each in rows if kinds[each.row] == BlockKind.CALL], set()
        _add(sent, role, rows)
    _add(sent, Role.TOOL, _answers(columns, waiting, answered, wire, session.version))
    return Request(wire, sent, as_stored=False, sends_reasoning=wire != "openai-chat")


def _answers(columns: Columns, waiting: list[int], answered: set[str | None], wire: str, version: str) -> list[Sent]:
    ids = columns.call_ids
    return [Sent(row, _MISSING, id=id_for(ids[row], wire, version)) for row in waiting if ids[row] not in answered]


def _stops(raw: bytes) -> bool:
    """Whether a record of another shape ends the program before it sends anything."""
    value = parse_json(raw)
    message = value.get("message") if isinstance(value, dict) else None
    if not isinstance(message, dict):
        return message is None and value_at(value, "/type") == "message"
    return not isinstance(message.get("content"), str | list | None)


def _add(sent: list[Message], role: int, blocks: list[Sent]) -> None:
    """What says nothing is left out; results that stand together are one message."""
    if blocks and role == Role.TOOL and sent and sent[-1].role == Role.TOOL:
        sent[-1].blocks += blocks
    elif blocks:
        sent.append(Message(role, blocks, separator="" if role == Role.ASSISTANT else "\n"))


def _goes_out(columns: Columns, row: int, wire: str) -> bool:
    """Whether a block is told as sent. Reasoning is in Chat alone, beside the message: elsewhere it is not modelled."""
    kind = columns.block_kinds[row]
    if kind == BlockKind.THINKING:
        return wire == "openai-chat"
    return kind != BlockKind.TEXT or not columns.block_flags[row] & BlockFlag.BLANK


def as_sent(block: bytes) -> str | None:
    """The words around a summary, or a command that the person ran, as pi tells the model of it."""
    value = parse_json(block)
    if not isinstance(value, dict):
        return None
    kind = {"compactionSummary": "compaction", "branchSummary": "branch_summary"}.get(
        str(value.get("role")), str(value.get("type"))
    )
    if kind in _AROUND:
        before, behind = _AROUND[kind]
        return f"{before}\n\n<summary>\n{value.get('summary') or ''}{behind}"
    return _command(value) if value.get("role") == "bashExecution" else None


_AROUND = {
    "compaction": (
        "The conversation history before this point was compacted into the following summary:",
        "\n</summary>",
    ),
    "branch_summary": ("The following is a summary of a branch that this conversation came back from:", "</summary>"),
}


def _command(message: dict[str, Any]) -> str:
    output, code, whole = message.get("output"), message.get("exitCode"), message.get("fullOutputPath")
    text = f"Ran `{message.get('command')}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif code:
        text += f"\n\nCommand exited with code {code}"
    return text + (f"\n\n[Output truncated. Full output: {whole}]" if message.get("truncated") and whole else "")
