"""The messages that OpenClaw sends on resume: it pairs calls and results itself, and drops what has no partner.

Facts: openclaw 2026.6.11, `sanitizeSessionHistory` in src/agents/embedded-agent-runner/replay-history.ts, with
src/agents/session-transcript-repair.ts and tool-call-id.ts. A call without an input, an id or a legal name is dropped.
A result belongs to the call before it whose id it has, up to the next answer with calls; else the first later result
with that id is moved to the call. A call without one is answered, and all other results are dropped. Calls go out under
ids of letters and digits, but for native ids of Anthropic and Kimi, and for the Responses API. Answers that follow each
other become one, and so do messages of the user. The same function of 2026.9.6, of a database, was asked about fifty
histories, and differs in one thing: where calls share an id, see `_VERSION_IN_DATABASES`.

Facts about damage: src/agents/session-file-repair.ts. Before it loads a session, OpenClaw rewrites the file without the
lines that are not JSON and the messages without a role. It keeps no backup.
"""

import re
from collections import Counter, defaultdict, deque
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from inspector.core.formats.base.agent_behavior import (
    ENDLESS_CYCLE_LOSSES,
    INVALID_JSON_LOSSES,
    REMOVES_DAMAGED_LINES,
    ResumeBehavior,
    losses_of_rules,
)
from inspector.core.formats.base.pi_sessions.loader import header_of
from inspector.core.formats.base.pi_sessions.request import (
    DAMAGE_LOSSES,
    is_sent,
    profile_and_wire_format,
    sent_block_text,
)
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.formats.openclaw.reader import is_removed
from inspector.core.lazy import LazyModule, lazy_regex
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import FILLER_MESSAGES, PLACEHOLDER_WORDINGS
from inspector.core.storage.json_text import parse_json, value_at
from inspector.core.translation import tr

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = LazyModule("hashlib")  # loads OpenSSL, which a check of most logs never needs

_RESPONSES = "openai-responses"
# With this version of the header, a result belongs to the newest answer that has a call with its id (seen in 2026.9.6).
_VERSION_IN_DATABASES = 4
_MISSING_RESULT = {_RESPONSES: "aborted"}
# OpenClaw puts a message of its own before a history that begins with the assistant.
_WIRES_THAT_BEGIN_WITH_USER = frozenset({"openai-chat", "gemini"})
_EMPTY_RESULT = "[empty content omitted]"
_BLANK_PROMPT = FILLER_MESSAGES["openclaw"][0]
_WRITES_HEADER = tr("backs up the log and writes a new header to the original")
_REMOVES_MESSAGES = tr("removes the messages without a role from the log")
_LOST_WITH_REMOVED = (tr("everything before a message without a role"),)
_FILLS_PROMPTS = tr("fills the empty prompts in the log with its own text")
_LEGAL_NAME = lazy_regex(r"[A-Za-z0-9_:.-]{1,64}")
_ILLEGAL_ID_CHARACTERS = re.compile(r"[^a-zA-Z0-9]")
_NATIVE_IDS = {"anthropic": re.compile(r"toolu_[A-Za-z0-9_]+")}
_KIMI_ID = lazy_regex(r"functions\.[A-Za-z0-9_-]+:\d+")
_LONGEST_ID, _HASH_LENGTH = 40, 8


class _Sent(Struct):
    """One message of the history. `ids` are those under which its calls or its result go out, by block.

    `answer` is sent in the place of a result, for the call in `ids`.
    """

    role: int
    rows: list[int]
    ids: dict[int, str] = field(default_factory=dict)
    answer: str = ""

    def blocks(self, columns: Columns, wire: str) -> list[RequestBlock]:
        """Return the blocks of the message that are sent."""
        if self.answer:
            return [RequestBlock(call, self.answer, id=_id_on_wire(own, wire)) for call, own in self.ids.items()]
        return [
            RequestBlock(row, id=_id_on_wire(self.ids.get(row, ""), wire))
            for row in self.rows
            if is_sent(columns, row, wire)
        ]


def build_request(session: Session, columns: Columns, raw: ReadRecord) -> ResumeRequest:
    """Return the messages that OpenClaw sends when it resumes the session."""
    path = list(session.main_thread.path)
    wire = profile_and_wire_format(columns, path, raw)[1] or "openai-chat"
    odd = (at for at in range(len(path) - 1, -1, -1) if columns.marks[path[at]] & RecordMark.MAYBE_MALFORMED)
    removed = next((at for at in odd if is_removed(parse_json(raw(path[at])))), -1)
    history = _history(columns, path[removed + 1 :], raw)
    header = header_of(columns, raw)
    _set_ids(columns, history, wire, header.get("version") == _VERSION_IN_DATABASES)
    sent: list[RequestMessage] = []
    for message in _paired(history, _MISSING_RESULT.get(wire, PLACEHOLDER_WORDINGS["openclaw"].text)):
        blocks = message.blocks(columns, wire)
        if message.role == Role.USER and not blocks:
            sent.append(RequestMessage(Role.USER, [], own_text=_BLANK_PROMPT))
        else:
            _add(sent, message.role, blocks)
    changes = "" if header else _WRITES_HEADER
    if removed >= 0:
        changes = _REMOVES_MESSAGES
    elif not changes and any(message.own_text for message in sent):
        changes = _FILLS_PROMPTS
    begins = wire in _WIRES_THAT_BEGIN_WITH_USER
    return ResumeRequest(
        wire,
        sent,
        changes,
        lost=_LOST_WITH_REMOVED if removed >= 0 else (),
        begins_with_user=begins,
        as_stored=False,
        sends_reasoning=wire != "openai-chat",
    )


def _add(sent: list[RequestMessage], role: int, blocks: list[RequestBlock]) -> None:
    """Add a message unless it is empty. Neighbours of one role become one message."""
    if blocks and sent and sent[-1].role == role and sent[-1].blocks:
        sent[-1].blocks += blocks
    elif blocks:
        sent.append(RequestMessage(role, blocks, separator="" if role == Role.ASSISTANT else "\n"))


def _history(columns: Columns, path: list[int], raw: ReadRecord) -> list[_Sent]:
    """Return the messages, without the calls that no provider would take."""
    kinds, found = columns.block_kinds, []
    for record in path:
        role, rows = columns.roles[record], list(columns.block_rows(record))
        if role == Role.TOOL and columns.marks[record] & RecordMark.MAYBE_MALFORMED and _is_text(raw(record)):
            found.append(_Sent(role, rows, answer=_EMPTY_RESULT))
        elif role in (Role.USER, Role.TOOL):
            found.append(_Sent(role, rows))
        elif role == Role.ASSISTANT:
            kept = [row for row in rows if kinds[row] != BlockKind.CALL or _is_complete(columns, record, row, raw)]
            found.append(_Sent(role, kept))
    return found


def _is_text(result: bytes) -> bool:
    """Return whether the content of a result is no list of blocks, so that it is not sent."""
    return not isinstance(value_at(parse_json(result), "/message/content"), list)


def _is_complete(columns: Columns, record: int, row: int, raw: ReadRecord) -> bool:
    """Return whether a call has an id, a legal name and an input."""
    name = (columns.names[row] or "").strip()
    if not columns.call_ids[row] or not _LEGAL_NAME.fullmatch(name):
        return False
    if not columns.block_flags[row] & BlockFlag.BAD_INPUT:
        return True
    call = parse_json(raw(record))["message"]["content"][row - columns.block_rows(record).start]
    return call.get("arguments") is not None or call.get("input") is not None


def _set_ids(columns: Columns, history: list[_Sent], wire: str, newest_first: bool) -> None:
    """Set the ids of calls and results.

    A result gets that of the oldest call before it whose id it has, or with `newest_first`, of the newest answer.
    """
    kinds, ids = columns.block_kinds, columns.call_ids
    new_ids = _NewIds(_NATIVE_IDS.get(wire)) if wire != _RESPONSES else None
    for message in history:
        if new_ids and newest_first and message.role == Role.ASSISTANT:
            new_ids.set_aside({ids[row] or "" for row in message.rows if kinds[row] == BlockKind.CALL})
        for row in message.rows:
            if kinds[row] in (BlockKind.CALL, BlockKind.RESULT):
                own = ids[row] or ""
                own = own.strip() if message.role == Role.TOOL else own
                message.ids[row] = new_ids.of(own, kinds[row] == BlockKind.CALL) if new_ids else own


class _NewIds:
    """The ids that calls and results are sent under, `createOccurrenceAwareResolver` of the mode "strict"."""

    def __init__(self, native: re.Pattern[str] | None) -> None:
        self.native = native
        self.used: set[str] = set()
        self.times: Counter[tuple[str, bool]] = Counter()
        self.waiting: defaultdict[str, list[str]] = defaultdict(list)
        self.older: defaultdict[str, list[str]] = defaultdict(list)

    def set_aside(self, own: set[str]) -> None:
        """Let results with these ids belong to the calls that follow, as long as those have none."""
        for each in own:
            self.older[each] += self.waiting.pop(each, [])

    def of(self, own: str, is_call: bool) -> str:
        if not is_call and (waiting := self.waiting[own] or self.older[own]):
            return waiting.pop(0)
        if not own and not is_call:
            return ""
        self.times[own, is_call] += 1
        time = self.times[own, is_call]
        if self.native and self.native.fullmatch(own) and time == 1 and own not in self.used:
            new = own
        elif is_call:
            new = self._unique(own if time == 1 else f"{own}:{time}")
        else:
            new = self._unique(f"{own}:tool_result:{time}")
        self.used.add(new)
        if is_call:
            self.waiting[own].append(new)
        return new

    def _unique(self, seed: str) -> str:
        letters = seed if _KIMI_ID.fullmatch(seed) else _ILLEGAL_ID_CHARACTERS.sub("", seed) or "sanitizedtoolid"
        base = letters[:_LONGEST_ID]
        if base not in self.used:
            return base
        digest = hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:_HASH_LENGTH]
        made = base[: _LONGEST_ID - _HASH_LENGTH] + digest
        numbered = (made[: _LONGEST_ID - len(end)] + end for end in (f"x{number}" for number in count(2)))
        return next(each for each in chain((made,), numbered) if each not in self.used)


def _id_on_wire(own: str, wire: str) -> str:
    return own.partition("|")[0] if wire == _RESPONSES else own


def _paired(history: list[_Sent], missing: str) -> list[_Sent]:
    """Return the history with each result behind its call, as `repairToolUseResultPairing` orders it."""
    found: list[_Sent] = []
    seen: set[str] = set()
    places = defaultdict[str, deque[int]](deque)  # of the results with an id, and "" for those without one
    for place, message in enumerate(history):
        if message.role == Role.TOOL:
            places[next(iter(message.ids.values()), "")].append(place)
    at = 0
    while at < len(history):
        message = history[at]
        at += 1
        if message.role == Role.TOOL:
            continue
        found.append(message)
        if message.role != Role.ASSISTANT or not message.ids:
            continue
        end = at
        while end < len(history) and not (history[end].role == Role.ASSISTANT and history[end].ids):
            end += 1
        for row, call_id in message.ids.items():
            if call_id not in seen:
                seen.add(call_id)
                # A result without an id belongs to the only call.
                result = _next_result(history, places, at, (call_id, "") if len(message.ids) == 1 else (call_id,))
                if result is None or result.answer:
                    result = _Sent(Role.TOOL, [], {row: call_id}, result.answer if result else missing)
                elif call_id not in result.ids.values():
                    result = _Sent(Role.TOOL, result.rows, dict.fromkeys(result.rows, call_id))
                found.append(result)
        found += (other for other in history[at:end] if other.role != Role.TOOL)
        at = end
    return found


def _next_result(
    history: list[_Sent], places: dict[str, deque[int]], at: int, call_ids: tuple[str, ...]
) -> _Sent | None:
    """Return the first result from `at` on that has one of the ids. What comes before `at` is forgotten."""
    found = []
    for call_id in call_ids:
        left = places[call_id]
        while left and left[0] < at:
            left.popleft()
        found += [left[0]] if left else []
    return history[min(found)] if found else None


def sent_text(role: int, kind: BlockKind, block: bytes) -> str | None:
    """Return the text of a block as OpenClaw sends it, see `sent_block_text`."""
    if kind == BlockKind.RESULT:
        parts = value_at(parse_json(block), "/message/content")
        if isinstance(parts, list) and all(_is_blank(part) for part in parts):
            return _EMPTY_RESULT
    return sent_block_text(role, kind, block)


def _is_blank(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and not str(part.get("text")).strip()


def resume_behavior(session: Session, rules: set[str]) -> ResumeBehavior:
    """Return what OpenClaw does with findings of these rules, see `Agent`."""
    agent, label = f"openclaw {session.version}".strip(), session.agent or "OpenClaw"
    if "G2" in rules:
        return ResumeBehavior(agent, "refuses", ENDLESS_CYCLE_LOSSES, label)
    loses = losses_of_rules(DAMAGE_LOSSES, rules)
    if rules & INVALID_JSON_LOSSES.keys():
        return ResumeBehavior(agent, "mends", loses, label, file_changes=REMOVES_DAMAGED_LINES)
    return ResumeBehavior(agent, "as-is", loses, label)
