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

from inspector.core.formats.base.agent_behavior import ENDLESS_CYCLE_LOSSES, ResumeBehavior, losses_of_rules
from inspector.core.formats.base.pi_sessions.loader import header_of
from inspector.core.formats.base.pi_sessions.request import (
    DAMAGE_LOSSES,
    add_message,
    has_unreadable_message,
    is_sent,
    profile_and_wire_format,
)
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
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
_MALFORMED_STOPS = tr("pi stops at a record that has no message or whose content is neither text nor a list")
_INVALID_SESSION_ERROR = "Session file is not a valid pi session"
_KEEPS_INVALID_FILES = "0.80.3"
_OVERWRITES = tr("overwrites the file with a new session")
_WHOLE_SESSION_LOST = tr("the whole session, because a file without a header is treated as empty")


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that pi sends when it resumes the session."""
    path = list(session.main_thread.path)
    wire = profile_and_wire_format(columns, path, raw)[1] or "openai-chat"
    if not header_of(columns, raw):
        if is_older_version(session.version, _KEEPS_INVALID_FILES):
            return ResumeRequest(wire, [], _OVERWRITES, lost=(_WHOLE_SESSION_LOST,))
        return ResumeRequest(wire, [], stop_reason=_INVALID_SESSION_ERROR)
    if has_unreadable_message(columns, path, raw):
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
            if is_sent(columns, row, wire)
        ]
        if role == Role.TOOL:
            answered.update(ids[block.row] for block in blocks)
        else:
            add_message(sent, Role.TOOL, _placeholder_results(columns, waiting, answered, wire, session.version))
            waiting, answered = [block.row for block in blocks if kinds[block.row] == BlockKind.CALL], set()
        add_message(sent, role, blocks)
    add_message(sent, Role.TOOL, _placeholder_results(columns, waiting, answered, wire, session.version))
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


_ENDS_TORN_LINES_SINCE = "0.84.4"
_NEXT_ENTRY = tr("the next entry, which pi appends to the incomplete line")


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what pi does with findings of these rules, see `Agent`. An unknown version counts as a newer one."""
    agent, label = f"pi {session.version}".strip(), session.agent or "pi"
    if "G2" in rules:
        return ResumeBehavior(agent, "refuses", ENDLESS_CYCLE_LOSSES, label)
    loses = losses_of_rules(DAMAGE_LOSSES, rules)
    if "F1" in rules and is_older_version(session.version, _ENDS_TORN_LINES_SINCE):
        loses = (*loses, _NEXT_ENTRY)
    return ResumeBehavior(agent, "as-is", loses, label)
