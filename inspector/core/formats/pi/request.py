"""The messages that pi sends on resume, the ids in them, and what pi does with a damaged file.

Facts: pi-ai 0.73.1 and 0.87.1, `transformMessages`: a call without a result is answered when the next message of the
user or the assistant comes (before every request the user's own prompt comes last). A result is sent at its position,
even if no call before it has its id. `convertMessages` of each API: blank texts and empty messages are left out, and an
input that is no object is passed on. The versions that were run differ only in the ids (`sent_call_id`); 1.5.2 sent
what is predicted of fifteen sessions and their repairs.

Facts about ids: pi-ai 0.73.1 and 0.87.1, `normalizeToolCallId` of each API and `utils/hash.ts`. An id can hold two ids
of Responses with a bar between them. An API of another kind gets the part that it accepts: Chat the first id; since
0.81 (says the changelog) both, as several calls may share the first, with a hash in place of what is too long.

Facts about damage: pi-coding-agent 0.73.1 and 0.87.1, `core/session-manager.ts` (`loadEntriesFromFile`), run against a
provider on the loopback address. A line that is not JSON is skipped with everything on it, and its children are cut off
from what came before. Since 0.84.4 (its changelog) a torn line is ended before the next entry is written; older
versions wrote the next entry onto it. A cycle of parents is walked without end.
"""

import re
from itertools import islice
from typing import Any

from inspector.core.formats.base.agent_behavior import (
    BROKEN_CHAIN_LOSSES,
    ENDLESS_CYCLE_LOSSES,
    INVALID_JSON_LOSSES,
    ResumeBehavior,
    losses_of_rules,
)
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.pi.loader import header_of
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import result_text
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_text import HALF_PAIR, LONE_SURROGATE, parse_json, text_at, value_at
from inspector.core.text import is_older_version
from inspector.core.translation import tr

_ILLEGAL_ID_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_ID, _LONGEST_CHAT_ID, _HASH_LENGTH = 64, 40, 8
_KEEPS_BOTH_IDS_SINCE = "0.81.0"
_BASE_36_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_UINT32 = 0xFFFFFFFF


def sent_call_id(call_id: str | None, wire: str, version: str) -> str:
    """Return the id under which a call and its result are sent, "" if that is their own."""
    if call_id is None or "|" not in call_id:
        return ""
    first, _, second = call_id.partition("|")
    if wire == "openai-responses":
        return first
    if wire != "openai-chat":
        return _ILLEGAL_ID_CHARACTERS.sub("_", call_id)[:_LONGEST_ID]
    first, second = _ILLEGAL_ID_CHARACTERS.sub("_", first), _ILLEGAL_ID_CHARACTERS.sub("_", second)
    if not second or is_older_version(version, _KEEPS_BOTH_IDS_SINCE):
        return first[:_LONGEST_CHAT_ID]
    both = f"{first}_{second}"
    if len(both) <= _LONGEST_CHAT_ID:
        return both
    return f"{first[: _LONGEST_CHAT_ID - _HASH_LENGTH - 1]}_{short_hash(call_id)[:_HASH_LENGTH]}"


def short_hash(text: str) -> str:
    """Return pi's own hash of a text, over its UTF-16 code units, in base 36."""
    low, high = 0xDEADBEEF, 0x41C6CE57
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        unit = int.from_bytes(units[at : at + 2], "little")
        low, high = (low ^ unit) * 2654435761 & _UINT32, (high ^ unit) * 1597334677 & _UINT32
    low = (low ^ low >> 16) * 2246822507 & _UINT32 ^ (high ^ high >> 13) * 3266489909 & _UINT32
    high = (high ^ high >> 16) * 2246822507 & _UINT32 ^ (low ^ low >> 13) * 3266489909 & _UINT32
    return _base_36(high) + _base_36(low)


def _base_36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _BASE_36_DIGITS[digit] + digits
    return digits or "0"


_MISSING_RESULT = PLACEHOLDER_WORDINGS["pi"].text
# The profile for each API that pi records with an answer. Its rules judge the session, and it gives the wire format.
PROFILE_OF_API = {
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
_MALFORMED_STOPS = tr("pi stops at a record that has no message, or has content that is neither text nor a list")
_NEWEST = 5  # number of answers searched: an answer that a repair invents names no model
_WIRES = {"mistral": "openai-chat"}
_INVALID_SESSION_ERROR = "Session file is not a valid pi session"
_KEEPS_INVALID_FILES = "0.80.3"
_OVERWRITES = tr("overwrites the file with a new session")
_WHOLE_SESSION_LOST = tr("the whole session, because a file without a header is treated as empty")


def profile_and_wire_format(columns: Columns, path: list[int], raw: ReadRecord) -> tuple[str, str]:
    """Return profile and wire of the newest answer that names them, "" if none of the last few does."""
    answers = (record for record in reversed(path) if columns.roles[record] == Role.ASSISTANT)
    for record in islice(answers, _NEWEST):
        message = parse_json(raw(record))["message"]
        provider, model = (str(message.get(key) or "") for key in ("provider", "model"))
        known = PROFILE_OF_API.get(str(message.get("api") or ""), "")
        # A service that passes requests on to Claude also passes its refusals back.
        profile = (
            profile_name_of("openai", model) if known == "openai-chat" else known or profile_name_of(provider, model)
        )
        if profile:
            return profile, _WIRES.get(known or profile, known or profile)
    return "", ""


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that pi sends when it resumes the session."""
    path = list(session.main_thread.path)
    wire = profile_and_wire_format(columns, path, raw)[1] or "openai-chat"
    if not header_of(columns, raw):
        if is_older_version(session.version, _KEEPS_INVALID_FILES):
            return ResumeRequest(wire, [], _OVERWRITES, lost=(_WHOLE_SESSION_LOST,))
        return ResumeRequest(wire, [], stop_reason=_INVALID_SESSION_ERROR)
    odd = (raw(record) for record in path if columns.marks[record] & RecordMark.MAYBE_MALFORMED)
    if columns.has_mark(RecordMark.MAYBE_MALFORMED) and any(map(_stops, odd)):
        return ResumeRequest(wire, [], stop_reason=_MALFORMED_STOPS)
    kinds, ids = columns.block_kinds, columns.call_ids
    sent: list[RequestMessage] = []
    waiting: list[int] = []
    answered: set[str | None] = set()
    for record in path:
        role = columns.roles[record]
        if role not in (Role.USER, Role.ASSISTANT, Role.TOOL):
            continue
        blocks = [
            RequestBlock(row, id=sent_call_id(ids[row], wire, session.version))
            for row in columns.block_rows(record)
            if _is_sent(columns, row, wire)
        ]
        if role == Role.TOOL:
            answered.update(ids[block.row] for block in blocks)
        else:
            _add_message(sent, Role.TOOL, _placeholder_results(columns, waiting, answered, wire, session.version))
            waiting, answered = [block.row for block in blocks if kinds[block.row] == BlockKind.CALL], set()
        _add_message(sent, role, blocks)
    _add_message(sent, Role.TOOL, _placeholder_results(columns, waiting, answered, wire, session.version))
    return ResumeRequest(wire, sent, as_stored=False, sends_reasoning=wire != "openai-chat")


def _placeholder_results(
    columns: Columns, waiting: list[int], answered: set[str | None], wire: str, version: str
) -> list[RequestBlock]:
    ids = columns.call_ids
    return [
        RequestBlock(row, _MISSING_RESULT, id=sent_call_id(ids[row], wire, version))
        for row in waiting
        if ids[row] not in answered
    ]


def _stops(raw: bytes) -> bool:
    """Return whether a record of another shape stops the program before it sends anything."""
    value = parse_json(raw)
    message = value.get("message") if isinstance(value, dict) else None
    if not isinstance(message, dict):
        return message is None and value_at(value, "/type") == "message"
    return not isinstance(message.get("content"), str | list | None)


def _add_message(sent: list[RequestMessage], role: int, blocks: list[RequestBlock]) -> None:
    """Add a message unless it is empty; adjacent results become one message."""
    if blocks and role == Role.TOOL and sent and sent[-1].role == Role.TOOL:
        sent[-1].blocks += blocks
    elif blocks:
        sent.append(RequestMessage(role, blocks, separator="" if role == Role.ASSISTANT else "\n"))


def _is_sent(columns: Columns, row: int, wire: str) -> bool:
    """Return whether a block counts as sent. Reasoning is modelled for Chat only, where it is not in the content."""
    kind = columns.block_kinds[row]
    if kind == BlockKind.THINKING:
        return wire == "openai-chat"
    return kind != BlockKind.TEXT or not columns.block_flags[row] & BlockFlag.BLANK


def sent_block_text(role: int, kind: BlockKind, block: bytes) -> str | None:
    """Return the text of a block as it is sent, None where it goes out unchanged.

    Halves of surrogate pairs are left out of texts and results (`sanitizeSurrogates`), but not of inputs.
    """
    text = sent_summary_or_command(block) if role == Role.USER and kind == BlockKind.TEXT else None
    if kind not in (BlockKind.TEXT, BlockKind.RESULT) or not LONE_SURROGATE.search(block):
        return text
    return HALF_PAIR.sub("", _plain_text(parse_json(block)) if text is None else text)


def _plain_text(value: Any) -> str:
    """Return the text of a block, or of the record of a result."""
    return value if isinstance(value, str) else text_at(value, "/text") or result_text(value_at(value, "/content"))


def sent_summary_or_command(block: bytes) -> str | None:
    """Return a summary or a command that the user ran as pi words it for the model, None for another block."""
    value = parse_json(block)
    if not isinstance(value, dict):
        return None
    kind = {"compactionSummary": "compaction", "branchSummary": "branch_summary"}.get(
        str(value.get("role")), str(value.get("type"))
    )
    if kind in _SUMMARY_WRAPPERS:
        before, after = _SUMMARY_WRAPPERS[kind]
        return f"{before}\n\n<summary>\n{value.get('summary') or ''}{after}"
    return _command_text(value) if value.get("role") == "bashExecution" else None


_SUMMARY_WRAPPERS = {
    "compaction": (
        "The conversation history before this point was compacted into the following summary:",
        "\n</summary>",
    ),
    "branch_summary": ("The following is a summary of a branch that this conversation came back from:", "</summary>"),
}


def _command_text(message: dict[str, Any]) -> str:
    output, code, whole = message.get("output"), message.get("exitCode"), message.get("fullOutputPath")
    text = f"Ran `{message.get('command')}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif code:
        text += f"\n\nCommand exited with code {code}"
    return text + (f"\n\n[Output truncated. Full output: {whole}]" if message.get("truncated") and whole else "")


# what pi does with damage in a file

_LOSSES = {
    **BROKEN_CHAIN_LOSSES,
    "G4": tr("the earlier of two entries with the same id"),
    **INVALID_JSON_LOSSES,
    "F2": tr("everything on the same line as the incomplete entry"),
    "F4": tr("the entry that is split across several lines"),
}
_ENDS_TORN_LINES_SINCE = "0.84.4"
_NEXT_ENTRY = tr("the next entry, which pi appends to the incomplete line")


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what pi does with findings of these rules, see `Agent`. An unknown version counts as a newer one."""
    agent, label = f"pi {session.version}".strip(), session.agent or "pi"
    if "G2" in rules:
        return ResumeBehavior(agent, "refuses", ENDLESS_CYCLE_LOSSES, label)
    loses = losses_of_rules(_LOSSES, rules)
    if "F1" in rules and is_older_version(session.version, _ENDS_TORN_LINES_SINCE):
        loses = (*loses, _NEXT_ENTRY)
    return ResumeBehavior(agent, "as-is", loses, label)
