"""Neovate Code session JSONL: `~/.neovate/projects/<folder>/<session id>.jsonl`.

Facts: neovateai/neovate-code 0.17.1, `src/session.ts` (`filterMessages`, `loadSessionMessages`), `src/jsonl.ts`,
`src/loop.ts`, `src/nodeBridge.ts`. The path runs from the last line up the parents and is returned in file order. Any
line that is not JSON makes the load fail. The configuration line stays first, and the last line is the leaf.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.formats.base import block_list_formats
from inspector.core.formats.base.agent_behavior import (
    BROKEN_CHAIN_LOSSES,
    ENDLESS_CYCLE_LOSSES,
    Agent,
    NextSteps,
    ResumeBehavior,
    losses_of_rules,
    resume_steps_for,
)
from inspector.core.formats.base.block_list_formats import BlockListFormat
from inspector.core.formats.base.format import LinkKeys
from inspector.core.formats.base.json_lines import JsonLines, file_stem
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.registry import safe_first_words
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, first_user_text
from inspector.core.formats.base.writer import CallContext, deterministic_uuid
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.block_schema import CallSpec, ResultSpec
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    message_text,
    placeholder_or_blank_flags,
    result_text,
)
from inspector.core.providers.message_misfits import OBJECT, TEXT, FieldSchema, ObjectSchema
from inspector.core.providers.placeholders import MAX_PLACEHOLDER_LENGTH
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, integers_at, parse_json, parse_json_cached, value_at
from inspector.core.translation import tr

_LABEL = "Neovate Code"
_ANTHROPIC_KINDS = frozenset({BlockKind.TEXT, BlockKind.CALL, BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT})
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}
# The program throws at any other role ("Unsupported message role", `src/history.ts`).
_RESULT_SCHEMA = ObjectSchema({"result": FieldSchema((OBJECT,), needed=True)})
_BLOCK_SCHEMA = ObjectSchema(
    type_key="type", variants={**block_list_formats.AGENT_BLOCK_SCHEMA.variants, "tool-result": _RESULT_SCHEMA}
)
LINE_SCHEMA = ObjectSchema(
    {
        "role": FieldSchema((TEXT,), needed=True, allowed_values=frozenset(_ROLES)),
        "content": replace(block_list_formats.TEXT_OR_BLOCKS_FIELD_SCHEMA, of=_BLOCK_SCHEMA),
    }
)


class _Part(schema.AnthropicBlock, gc=False):
    toolCallId: str | None = None
    result: Raw = EMPTY_RAW


class _Row(Struct, gc=False):
    type: str | None = None
    role: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    sessionId: str | None = None
    content: str | list[_Part] | None = None


_DECODE = LenientDecoder(_Row)
# A result names its tool as well; older versions wrote it as Anthropic's block.
_OLD_RESULT = ResultSpec(name="/name", wants_name=False, content="/result/llmContent", status="/result/isError")
_BLOCK_LIST_SCHEMA = replace(
    schema.BLOCK_SCHEMA,
    kinds={**schema.BLOCK_SCHEMA.kinds, "tool-result": BlockKind.RESULT},
    calls=(CallSpec(),),
    results=(
        replace(_OLD_RESULT, types=frozenset({"tool-result"}), id="/toolCallId", name="/toolName"),
        replace(_OLD_RESULT, has="/result"),
        replace(_OLD_RESULT, content="/content"),
    ),
    kept_in=("result", "llmContent"),
)


class Neovate(BlockListFormat, JsonLines, Agent):
    """Sessions of Neovate Code."""

    name = "neovate"
    label = "Neovate Code session"
    keys = "role config"
    detection = tr("a config line, followed by lines of type message with role, uuid and parentUuid")
    read = tr("the path that ends with the last message line")
    write_back = tr("yes, as a copy, in place or as a new session")
    resume = tr(
        "the config line comes first and the last message stays at the end, results have a name and an input, "
        "and `text` matches the text blocks"
    )
    unsupported = tr("compactions without a summary")
    source = "neovateai/neovate-code 0.17.1, src/session.ts"
    profile = "anthropic"
    block_schema = _BLOCK_LIST_SCHEMA
    stores = (StorePattern("~/.neovate", "projects/*/*.jsonl"),)
    content_pointer = "/content"
    link_keys = LinkKeys(parent="parentUuid")
    message_schema = LINE_SCHEMA
    prompts_are_strings = True
    supported_profiles = ("anthropic", "openai-chat", "openai-responses", "gemini")
    can_invent_calls = True

    def score(self, head: Head) -> float:
        if not head.is_lines:
            return 0.0
        rows = head.lines
        messages = sum(row.get("type") == "message" and "role" in row and "parentUuid" in row for row in rows)
        config = rows[0].get("type") == "config" and isinstance(rows[0].get("config"), dict)
        if messages:
            return 0.95 if messages > len(rows) / 2 else 0.7
        return 0.6 if config and len(rows) == 1 else 0.0

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        row = _DECODE(raw)
        role = _ROLES.get(row.role or "", Role.OPAQUE) if row.type == "message" else Role.OPAQUE
        odd = row.type == "message" and (not role or (isinstance(row.content, list) and _is_odd(row.content)))
        if row.type != "message":  # `filterMessages` walks only messages
            row.uuid = row.parentUuid = None
        columns.add_record(start, end, role, RecordMark.MAYBE_MALFORMED if odd else 0, row.uuid, row.parentUuid)
        if role:
            _add_parts(columns, row.content)

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        tree = RecordTree(columns)
        messages = [
            record
            for record, role in enumerate(columns.roles)
            if role or columns.marks[record] & RecordMark.MAYBE_MALFORMED
        ]
        session_id = file_stem(log.source.path)
        thread = Thread(array("I"))
        if messages:
            path, links = tree.path_to(messages[-1], first=messages[0])
            # A record that is written twice is loaded twice.
            on_path = {columns.uuids[record] for record in path}
            in_file_order = array("I", [record for record in messages if columns.uuids[record] in on_path])
            thread = Thread(
                in_file_order, damaged_links=links, stranded_results=_results_off_path(columns, tree, in_file_order)
            )
        profile = profile_name_of(*_newest_model(columns, thread, raw))
        session = Session(
            0, session_id, range(len(columns)), [thread], profile or self.profile, provider_assumed=not profile
        )
        session.duplicate_records = tree.duplicate_ids
        return [session]

    def describe(self, log: Log, session: Session) -> None:
        session.agent = _LABEL
        session.title = first_user_text(
            log, session.main_thread.path, lambda raw: safe_first_words(self, raw, session.faults)
        )

    def metadata(self, head: Head) -> SessionMetadata:
        """Return the summary, or else the first prompt, and the store's folder, since no record names the project."""
        store = Path(head.path).parent
        prompts = (
            row.get("uiContent") or message_text(row.get("content")) for row in head.lines if row.get("role") == "user"
        )
        title = value_at(head.lines[0], "/config/summary") or next(
            (text for text in prompts if isinstance(text, str) and text.strip()), ""
        )
        return SessionMetadata(store.name if store.parent.name == "projects" else "", str(title))

    def project_name(self, folder: str) -> str:
        """Return the name of its folder in the store: the path in lower case, its words joined by hyphens."""
        return re.sub(r"[\W_]+", "-", folder.lower()).strip("-")

    def view(self, raw: bytes) -> RecordView:
        row = parse_json(raw)
        if not isinstance(row, dict):
            return RecordView("", tr("no record"))
        if row.get("type") != "message":
            return RecordView(str(row.get("type") or "record"), str(row.get("type") or "record"))
        role, when, model = (str(row.get(key) or "") for key in ("role", "timestamp", "model"))
        counts = integers_at(row, "/usage/input_tokens", "/usage/output_tokens")
        return RecordView(role, "", self.block_views(row), when, model, *counts)

    # what the agent does

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        if any(rule.startswith("F") for rule in rules):
            return ResumeBehavior(
                self.name,
                "refuses",
                (tr("the whole session, because the agent cannot load a log with an unreadable line"),),
                _LABEL,
            )
        if "G2" in rules:
            return ResumeBehavior(self.name, "refuses", ENDLESS_CYCLE_LOSSES, _LABEL)
        if rules <= {"G1"}:
            return ResumeBehavior(self.name, "as-is", losses_of_rules(BROKEN_CHAIN_LOSSES, rules), _LABEL)
        return ResumeBehavior(self.name, "refuses", (), _LABEL)

    # writing

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        """Return a result part with the name and input of its call, which `toLanguageV2Messages` needs."""
        part = parse_json(raw_json_at(call.raw, call.pointer))
        result = {"llmContent": text, "returnDisplay": text, "isError": failed}
        head = {"type": "tool-result", "toolCallId": call.id, "toolName": call.name, "input": part.get("input", {})}
        return dump_json({**head, "result": result})

    def new_record(self, like: bytes, role: Role, content: bytes, seed: str) -> bytes:
        row = parse_json_cached(like)
        head = dump_json({"parentUuid": None, "uuid": deterministic_uuid(seed), "role": role.name.lower()})
        tail = dump_json({"type": "message", "timestamp": row.get("timestamp"), "sessionId": row.get("sessionId")})
        return head[:-1] + b',"content":' + content + b"," + tail[1:]

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        (line,) = super().call_records(call, note, seed)
        return [line[:-1] + b',"text":' + dump_json(note) + b"}"]

    def media_of(self, result: Any) -> Iterable[Any]:
        return ()

    def without_result_data(self, raw: bytes) -> bytes:
        """Return a message with only quoted text as the user's, because a tool message may hold only results."""
        content = parse_json(raw).get("content")
        if isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content):
            return json_edits.set_member(raw, "", "role", b'"user"')
        return raw

    def new_session_id(self, old: str, attempt: int) -> str | None:
        return deterministic_uuid(f"new-session:{old}:{attempt}")[:8]

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return resume_steps_for("Neovate", f"neovate --resume {session_id}", path, new)


def _newest_model(columns: Columns, thread: Thread, raw: ReadRecord) -> tuple[str, str]:
    """Return provider and model of the newest answer, "" if it does not name them."""
    for record in reversed(thread.path):
        if columns.roles[record] == Role.ASSISTANT:
            provider, _, model = str(parse_json(raw(record)).get("model") or "").partition("/")
            return provider, model
    return "", ""


def _is_odd(parts: list[_Part]) -> bool:
    """Return whether a part needs a closer look, such as a result part without its `result`."""
    lacks_result = any(part.type == "tool-result" and bytes(memoryview(part.result)[:1]) != b"{" for part in parts)
    return lacks_result or block_list_formats.has_suspect_block(parts)


def _add_parts(columns: Columns, content: str | list[_Part] | None) -> None:
    if isinstance(content, str):
        columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING | (0 if content.strip() else BlockFlag.BLANK))
        return
    for part in content or ():
        if part.type in ("tool-result", "tool_result"):
            call_id = part.toolCallId if part.type == "tool-result" else part.id
            columns.add_block(BlockKind.RESULT, _result_flags(part.result), call_id)
        elif part.type == "reasoning":
            columns.add_block(BlockKind.THINKING)
        else:
            row = schema.block_row(part)
            columns.add_block(*row if row[0] in _ANTHROPIC_KINDS else (BlockKind.OTHER, 0, None, None))


def _result_flags(result: Raw) -> int:
    if not 2 < len(result) < 3 * MAX_PLACEHOLDER_LENGTH:
        return 0
    value = parse_json(bytes(result))
    if not isinstance(value, dict):
        return 0
    flags = BlockFlag.ERROR if value.get("isError") else 0
    return flags | placeholder_or_blank_flags(result_text(value.get("llmContent")))


def _results_off_path(columns: Columns, tree: RecordTree, path: array[int]) -> list[int]:
    """Return results off the path whose parent is on it, as cancelling a parallel batch leaves them."""
    on_path = set(path)
    stranded = []
    for record, parent in enumerate(tree.parents):
        if record in on_path or parent not in on_path or not columns.roles[record]:
            continue
        rows = columns.block_rows(record)
        if rows and all(columns.block_kinds[row] == BlockKind.RESULT for row in rows):
            stranded.append(record)
    return stranded
