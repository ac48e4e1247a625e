"""Claude Code session JSONL (1.0 to 2.1): `~/.claude/projects/<folder>/<session id>.jsonl`.

Facts: `cli.js` of @anthropic-ai/claude-code 2.1.112 (loader `P96`/`DtY`, send path `K0`/`YbK`) and the bundled binary
of claude-agent-sdk 0.2.187. One content block a line; fragments share `message.id`; a parallel call's result hangs
off its own fragment, so that the parents fork and the loader re-attaches siblings; `compact_boundary` starts anew.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from typing import Any

import msgspec
import orjson
from msgspec import Raw, Struct

from inspector.core import splice
from inspector.core.columns import Columns, Flag, Mark, Role
from inspector.core.containers.lines import lines_of
from inspector.core.formats.block_list import BlockListFormat
from inspector.core.formats.format import NewSession, OnResume, Reading, dumped
from inspector.core.head import Head
from inspector.core.ids import uuid_for
from inspector.core.json_text import is_sound, value_of
from inspector.core.layout import Sequence
from inspector.core.session import Break, Link, Log, Session, Thread
from inspector.core.source import Source
from inspector.core.tree import Tree
from inspector.core.views import BlockKind, RecordView
from inspector.core.wire import anthropic

_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.LINK,
    "attachment": Role.LINK,
    "progress": Role.LINK,
}
_METADATA = frozenset(
    "summary custom-title ai-title last-prompt tag agent-name agent-color agent-setting pr-link file-history-snapshot "
    "attribution-snapshot mode permission-mode worktree-state queue-operation content-replacement".split()
)
_SPEAKERS = {"user": int(Role.USER), "assistant": int(Role.ASSISTANT)}
_CALL, _RESULT, _SIDE, _BAD_INPUT = int(BlockKind.CALL), int(BlockKind.RESULT), Mark.SIDE, Flag.BAD_INPUT
_SHORT = 600
_COPIED = ("isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug")
_MENDS_SINCE = (2, 1, 20)


class _Row(Struct, gc=False):
    type: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    isSidechain: bool | None = None
    sessionId: str | None = None
    message: anthropic.Message | None = None
    subtype: str | None = None
    isApiErrorMessage: bool | None = None
    attachment: Raw = Raw(b"")


class ClaudeCode(BlockListFormat):
    """Sessions of Anthropic's Claude Code."""

    name = "claude-code"
    label = "Claude Code session"
    container = "JSON Lines"
    detection = "lines with type, uuid, parentUuid and message, or Claude Code's metadata types"
    write_back = "yes: a copy, in place, as a new session"
    source = "cli.js of @anthropic-ai/claude-code 2.1.112"
    profile = "anthropic"
    content = "/message/content"
    folds = True
    together = False
    linked = True

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        rows = [row for row in head.lines if isinstance(row.get("type"), str)]
        full = sum("parentUuid" in row and "uuid" in row and _holds_message(row) for row in rows)
        metadata = sum(row["type"] in _METADATA and "payload" not in row for row in rows)
        loose = sum(row["type"] in ("user", "assistant") and _holds_message(row) for row in rows)
        if any("session_id" in row and "parentUuid" not in row for row in rows):
            return 0.0
        if full:
            return 0.95 if full + metadata > len(head.lines) / 3 else 0.6
        if metadata > len(head.lines) / 2:
            return 0.7
        return 0.5 if loose > len(head.lines) / 2 else 0.0

    # reading

    def index(self, source: Source, reading: Reading) -> Log:
        columns = Columns()
        ids: dict[str, int] = {}
        decode = msgspec.json.Decoder(_Row).decode_lines
        for offset, chunk in source.line_chunks(reading.limit, reading.progress, reading.cancelled):
            try:
                rows = None if reading.deep else decode(chunk)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                rows = None
            if rows is None or not _add_rows(columns, rows, offset, chunk, ids):
                for start, end, line in lines_of(offset, bytes(chunk)):
                    self._add_line(columns, line, start, end, reading.deep, ids)
        log = Log(source, self.name, columns, [Sequence(0, len(columns))], deep=reading.deep)
        log.sessions = self.sessions(log, columns, log.raw)
        log.sessions[0].other_ids = list(ids)[1:]
        return log

    def _add_line(
        self, columns: Columns, line: bytes, start: int, end: int, deep: bool, ids: dict[str, int] | None = None
    ) -> bool:
        try:
            row = None if deep and not is_sound(line) else _DECODE(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            row = _tolerant(value_of(line)) if is_sound(line) else None
        if row is None:
            columns.add_record(start, end, Role.OPAQUE, Mark.BAD)
            return False
        _add_row(columns, row, start, end)
        if ids is not None and row.sessionId is not None:
            ids.setdefault(row.sessionId, len(columns) - 1)
        return True

    def add(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        return self._add_line(columns, raw, start, end, True)

    def sessions(self, log: Log, columns: Columns, raw: Callable[[int], bytes]) -> list[Session]:
        tree = Tree(columns)
        threads = _threads(columns, tree, raw)
        session_id = re.sub(r"\.jsonl.*$", "", re.split(r"[\\/]", log.source.path)[-1])
        session = Session(0, session_id, range(len(columns)), threads, self.profile)
        session.duplicates = tree.duplicates
        return [session]

    def pending(self, session: Session, columns: Columns, path: array[int], raw: Callable[[int], bytes]) -> set[str]:
        """Ids of calls that a PreToolUse hook deferred (`hook_deferred_tool` attachments)."""
        found: set[str] = set()
        for record in path:
            if columns.marks[record] & Mark.DEFERRED:
                found.update(v for v in value_of(raw(record))["attachment"].values() if isinstance(v, str))
        return found

    def error_text(self, raw: bytes) -> str:
        row = value_of(raw)
        message = row.get("message")
        if isinstance(message, dict):
            return "\n".join(view.text for view in anthropic.views(message.get("content"), ""))
        error = row.get("error")
        return anthropic.pretty(error) if error is not None else str(row.get("content") or "")

    def describe(self, log: Log, session: Session) -> None:
        columns = log.columns
        for record in reversed(session.main.path):
            if columns.roles[record] in (Role.USER, Role.ASSISTANT):
                row = value_of(log.raw(record))
                session.version = str(row.get("version") or "")
                break
        session.agent = f"Claude Code {session.version}".strip()
        session.title = _title(log, session)

    def view(self, raw: bytes) -> RecordView:
        row = value_of(raw)
        if not isinstance(row, dict):
            return RecordView("", "no record")
        message = row.get("message")
        kind = str(row.get("type") or "record")
        when = str(row.get("timestamp") or "")
        if not isinstance(message, dict) or kind == "progress":
            detail = row.get("subtype") or row.get("summary") or row.get("content") or ""
            return RecordView(kind, f"{kind}: {detail}" if isinstance(detail, str) and detail else kind, (), when)
        usage = message.get("usage") if isinstance(message.get("usage"), dict) else {}
        return RecordView(
            str(message.get("role") or kind),
            "",
            anthropic.views(message.get("content"), self.content),
            when,
            str(message.get("model") or ""),
            _tokens(usage, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
            _tokens(usage, "output_tokens"),
        )

    # what the agent does

    def on_resume(self, session: Session, rules: set[str]) -> OnResume:
        agent, label = f"{self.name} {session.version}".strip(), session.agent or "Claude Code"
        loses = [text for rule, text in _LOSSES.items() if rule in rules]
        if not rules:
            return OnResume(agent, "as-is", (), label)
        version = tuple(int(part) for part in re.findall(r"\d+", session.version)[:3])
        if not version:
            return OnResume(agent, "unknown", tuple(loses), label)
        if version < _MENDS_SINCE and not rules <= {"D1", "G1", "G2", "F1", "F6"}:
            return OnResume(agent, "refuses", tuple(loses), label)
        return OnResume(agent, "mends", tuple(dict.fromkeys(loses)), label)

    # writing

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        """A user line as Claude Code writes it: `parentUuid` first, `timestamp` right after `uuid`, no spaces."""
        call = value_of(like)
        line = self._line(call, b"[" + b",".join(blocks) + b"]", seed)
        text = anthropic.result_text(orjson.loads(blocks[0]).get("content"))
        extra = {"toolUseResult": "Error: " + text, "sourceToolAssistantUUID": call.get("uuid")}
        return line[:-1] + b"," + dumped(extra)[1:]

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return self._line(value_of(like), dumped(text), seed)

    def _line(self, like: dict[str, Any], content: bytes, seed: str) -> bytes:
        copied = {key: like[key] for key in _COPIED if key in like}
        head = dumped({"parentUuid": None, **copied, "type": "user"})
        tail = dumped({"uuid": uuid_for(seed), "timestamp": like.get("timestamp")})
        return head[:-1] + b',"message":{"role":"user","content":' + content + b"}," + tail[1:]

    def as_note(self, raw: bytes) -> bytes:
        for key in ("toolUseResult", "sourceToolAssistantUUID"):
            raw = splice.remove_member(raw, "", key)
        return raw

    def new_session(self, log: Log) -> NewSession | None:
        old = log.sessions[0].id
        new = uuid_for(f"new-session:{old}")
        return NewSession(new, f"{new}.jsonl", ("sessionId",))

    def renamed(self, raw: bytes, old: str, new: str) -> bytes:
        if b'"sessionId"' not in raw:
            return raw
        try:
            return splice.set_member(raw, "", "sessionId", dumped(new))
        except (KeyError, ValueError):
            return raw

    def resume_steps(self, path: str, session_id: str, new: bool) -> tuple[tuple[str, ...], str]:
        command = f"claude --resume {session_id}"
        if new:
            steps = (f"The repaired session lies at {path}.", "Go to the project's folder.", f"Run: {command}")
        else:
            steps = (
                "Close Claude Code if it still has this session open.",
                "Go to the project's folder.",
                f"Run: {command}",
            )
        return steps, command


_LOSSES = {
    "D1": "the unanswered call of your last turn, which is dropped on load",
    "R2": "a result that came before its call, replaced by a placeholder",
    "R4": "a result that came too late, replaced by a placeholder",
    "R1": "results whose call is not there",
    "R12": "results whose call is on another branch",
    "C2": "results whose call was compacted away",
    "R7": "all but the first of several results",
    "K1": "calls that reuse an id, with their results",
    "G1": "everything before the break in the chain",
    "G2": "everything before the loop in the chain",
    "F1": "the torn line",
    "F2": "the fused line",
    "F3": "the line of NUL bytes",
    "F4": "the record that is split over several lines",
    "F5": "the line with invalid UTF-8",
    "F6": "the unreadable line",
}


def _holds_message(row: dict[str, Any]) -> bool:
    message = row.get("message")
    if row["type"] in ("system", "attachment", "progress"):
        return True
    return isinstance(message, dict) and "parts" not in message and message.get("role") in ("user", "assistant")


def _tokens(usage: Any, *keys: str) -> int | None:
    counts = [usage[key] for key in keys if isinstance(usage.get(key), int)]
    return sum(counts) if counts else None


def _title(log: Log, session: Session) -> str:
    """The first words that the person said."""
    for record in session.main.path[:50]:
        if log.columns.roles[record] == Role.USER:
            for view in anthropic.views(value_of(log.raw(record))["message"].get("content"), ""):
                if view.kind == BlockKind.TEXT and view.text.strip():
                    return view.text.strip().splitlines()[0][:120]
    return ""


def _tolerant(value: Any) -> _Row:
    """A row of a JSON value of unexpected shape."""
    if not isinstance(value, dict):
        return _Row()
    texts = {key: value[key] for key in ("type", "uuid", "parentUuid", "sessionId", "subtype")
             if isinstance(value.get(key), str)}  # fmt: skip
    row = _Row(**texts)
    row.isSidechain = value.get("isSidechain") is True
    row.isApiErrorMessage = value.get("isApiErrorMessage") is True
    if isinstance(value.get("message"), dict):
        row.message = anthropic.tolerant_message(value["message"])
    return row


def _line_ends(chunk: memoryview) -> list[int]:
    """Where the lines of a chunk end."""
    size, buffer = len(chunk), chunk.obj
    assert isinstance(buffer, bytearray)
    ends, find = [], buffer.find
    end = find(b"\n", 0, size)
    while end >= 0:
        ends.append(end)
        end = find(b"\n", end + 1, size)
    if not ends or ends[-1] + 1 < size:
        ends.append(size)
    return ends


def _add_rows(columns: Columns, rows: list[_Row], offset: int, chunk: memoryview, ids: dict[str, int]) -> bool:
    """Append the rows of a chunk with their offsets. False, and nothing appended, when lines and rows do not agree.

    The common records are appended here, column by column: a call for each would double the time of the whole check.
    """
    ends = _line_ends(chunk)
    if len(ends) != len(rows):
        return False
    numbers = {row.sessionId for row in rows}
    if not numbers <= ids.keys():
        for number, row in enumerate(rows, len(columns)):
            if row.sessionId is not None:
                ids.setdefault(row.sessionId, number)
    start = 0
    add_start, add_end = columns.starts.append, columns.ends.append
    add_uuid, add_parent, add_group = columns.uuids.append, columns.parents.append, columns.groups.append
    add_role, add_mark, add_blocks = columns.roles.append, columns.marks.append, columns.blocks.append
    add_kind, add_flag = columns.block_kinds.append, columns.block_flags.append
    add_id, add_name = columns.call_ids.append, columns.names.append
    for row, end in zip(rows, ends, strict=True):
        message, role = row.message, _SPEAKERS.get(row.type or "")
        content = None if message is None else message.content
        if message is None or role is None or content.__class__ is not list or row.isApiErrorMessage:
            _add_row(columns, row, offset + start, offset + end)
            start = end + 1
            continue
        add_start(offset + start)
        add_end(offset + end)
        start = end + 1
        add_uuid(row.uuid)
        add_parent(row.parentUuid)
        add_group(message.id)
        add_role(role)
        add_mark(_SIDE if row.isSidechain else 0)
        add_blocks(len(content))
        for block in content:
            form = block.type
            if form == "tool_use":
                add_kind(_CALL)
                add_flag(_BAD_INPUT if block.input is None else 0)
                add_id(block.id)
                add_name(block.name)
                continue
            if form == "tool_result":
                add_kind(_RESULT)
                add_flag(anthropic.result_flags(block) if len(block.content) < _SHORT or block.is_error else 0)
                add_id(block.tool_use_id)
                add_name(None)
                continue
            code, flag, call_id, name = anthropic.row_of(block)
            add_kind(code)
            add_flag(flag)
            add_id(call_id)
            add_name(name)
    return True


def _add_row(columns: Columns, row: _Row, start: int, end: int) -> None:
    kind = row.type
    mark = Mark.SIDE if row.isSidechain else 0
    message = row.message
    if message is not None and (kind == "user" or kind == "assistant"):
        if row.isApiErrorMessage:
            # The agent shows these and never sends them.
            columns.add_record(start, end, Role.LINK, mark | Mark.API_ERROR, row.uuid, row.parentUuid)
            return
        columns.add_record(start, end, _ROLES[kind], mark, row.uuid, row.parentUuid, message.id)
        anthropic.add_content(columns, message.content)
        return
    role = _ROLES.get(kind or "")
    if row.uuid is None or role in (Role.USER, Role.ASSISTANT):
        columns.add_record(start, end, Role.OPAQUE, mark | (Mark.LEAF_POINTER if kind == "last-prompt" else 0))
        return
    if kind == "system":
        if row.subtype == "compact_boundary":
            mark |= Mark.BOUNDARY
        elif row.subtype == "api_error":
            mark |= Mark.API_ERROR
    elif kind == "attachment":
        if b"hook_deferred_tool" in bytes(row.attachment)[:200]:
            mark |= Mark.DEFERRED
    else:
        mark |= Mark.TRANSIENT
    columns.add_record(start, end, Role.LINK, mark, row.uuid, row.parentUuid)


_DECODE = msgspec.json.Decoder(_Row).decode


def _threads(columns: Columns, tree: Tree, raw: Callable[[int], bytes]) -> list[Thread]:
    """The main thread first, then the side threads inside the file, each walked from its last record."""
    roles, marks = columns.roles, columns.marks
    skipped = Mark.SIDE | Mark.TRANSIENT
    if not tree.of_id:
        return [Thread(array("I", [record for record, role in enumerate(roles) if role]))]
    roots, leaves = _side_threads(columns, tree)
    leaf = _leaf_pointed_at(columns, tree, raw)
    if leaf is None:
        records = range(len(roles) - 1, -1, -1)
        leaf = next((r for r in records if roles[r] and not marks[r] & skipped and columns.uuids[r] is not None), -1)
    if leaf < 0:
        # A subagent's file: its first parent lies in the file of the session that started it.
        only = _thread(tree, max(leaves.values(), default=-1), side=False)
        only.links = [Link(link.record, link.kind, link.kind == Break.MISSING_PARENT) for link in only.links]
        return _with_siblings(columns, tree, [only])
    _relink_preserved(columns, tree, raw)
    main = _thread(tree, leaf, side=False)
    for record in main.path:
        if marks[record] & _SIDE:
            leaves.pop(roots[record], None)
    return _with_siblings(columns, tree, [main, *(_thread(tree, last, side=True) for last in leaves.values())])


def _side_threads(columns: Columns, tree: Tree) -> tuple[dict[int, int], dict[int, int]]:
    """The root of every side record, and the last record of every side thread by its root."""
    roots: dict[int, int] = {}
    leaves: dict[int, int] = {}
    parents, roles = tree.parents, columns.roles
    for record, mark in enumerate(columns.marks):
        if mark & _SIDE and roles[record] and not mark & Mark.TRANSIENT:
            roots[record] = root = roots.get(parents[record], record)
            leaves[root] = record
    return roots, leaves


def _last_marked(columns: Columns, mark: int) -> int:
    """The last record with a mark, -1 when there is none."""
    marks = columns.marks
    return next((record for record in range(len(marks) - 1, -1, -1) if marks[record] & mark), -1)


def _leaf_pointed_at(columns: Columns, tree: Tree, raw: Callable[[int], bytes]) -> int | None:
    """The leaf that the last `last-prompt` record names, when it does so explicitly (2.1.330 and newer)."""
    record = _last_marked(columns, Mark.LEAF_POINTER)
    if record < 0:
        return None
    row = value_of(raw(record))
    return tree.of_id.get(row.get("leafUuid") or "") if row.get("explicit") is True else None


def _relink_preserved(columns: Columns, tree: Tree, raw: Callable[[int], bytes]) -> None:
    """Messages kept by the last compaction hang below its anchor, as the loader (`LeK`) re-parents them."""
    boundary = _last_marked(columns, Mark.BOUNDARY)
    if boundary < 0:
        return
    metadata = value_of(raw(boundary)).get("compactMetadata")
    kept = metadata.get("preservedSegment") if isinstance(metadata, dict) else None
    if not isinstance(kept, dict):
        return
    head, anchor, tail = (tree.of_id.get(str(kept.get(key)), -1) for key in ("headUuid", "anchorUuid", "tailUuid"))
    if min(head, anchor, tail) < 0:
        return
    for record, parent in enumerate(tree.parents):
        if parent == anchor and record != head and record != tail:
            tree.parents[record] = tail
    tree.parents[head] = anchor


def _thread(tree: Tree, leaf: int, side: bool) -> Thread:
    if leaf < 0:
        return Thread(array("I"), side)
    path, damage = tree.walk(leaf)
    links = []
    if damage is not None:
        roles = tree.columns.roles
        first = next(record for record in range(len(roles)) if roles[record])
        links.append(Link(damage.record, damage.kind, damage.record == first))
    return Thread(path, side, links)


def _with_siblings(columns: Columns, tree: Tree, threads: list[Thread]) -> list[Thread]:
    """Fragments and results that fork off a path, put after the last fragment of their message (`DtY`).

    One pass over the records for all threads together: a message lies in one thread.
    """
    roles, groups, kinds, first = columns.roles, columns.groups, columns.block_kinds, columns.first
    assistant, user = int(Role.ASSISTANT), int(Role.USER)
    on_path = bytearray(len(columns))
    last_of: dict[str | None, int] = {}
    for thread in threads:
        for record in thread.path:
            on_path[record] = 1
            if roles[record] == assistant:
                last_of[groups[record]] = record
    last_of.pop(None, None)
    joining: dict[int, list[int]] = {}
    record = on_path.find(0)
    while record >= 0:
        owner = record
        if roles[record] == user and _RESULT in kinds[first[record] : first[record + 1]]:
            owner = tree.parents[record]
        if owner >= 0 and roles[owner] == assistant and groups[owner] in last_of:
            joining.setdefault(last_of[groups[owner]], []).append(record)
        record = on_path.find(0, record + 1)
    for thread in threads if joining else ():
        merged = array("I")
        for record in thread.path:
            merged.append(record)
            if record in joining:
                merged.extend(joining[record])
                thread.recovered += joining[record]
        thread.path = merged
        thread.recovered.sort()
    return threads
