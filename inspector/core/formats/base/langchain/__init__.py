"""The base class of the formats whose records are LangChain messages: their index, views, and edits."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import ResumeBehavior
from inspector.core.formats.base.langchain import reader
from inspector.core.formats.base.langchain.writer import rewrite_message
from inspector.core.formats.base.message_arrays import MessageArrays
from inspector.core.formats.base.writer import BlockEdits, CallContext, Writer, deterministic_uuid
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_views import call_view
from inspector.core.providers.message_fields import (
    placeholder_or_blank_flags,
    result_text,
    string_in,
    truncation_reason,
)
from inspector.core.providers.message_misfits import Misfit
from inspector.core.providers.profile import OPEN_CALL_RULES
from inspector.core.providers.registry import profile_name_of
from inspector.core.storage.json_text import dump_json, object_at, parse_json, parse_json_cached, pretty_json, value_at
from inspector.core.translation import joined, tr, tr_plural

# The names in LangChain's packages for OpenAI, Anthropic, Bedrock and Google; `status` is from an item of Responses.
_STOP_REASON_POINTERS = tuple(
    f"/response_metadata/{key}" for key in "finish_reason stop_reason stopReason finishReason status".split()
)

_UNANSWERED_RULES = frozenset({*OPEN_CALL_RULES, "C1"})


class LangChainMessages(MessageArrays, Writer):
    """A format whose records are LangChain messages in any of their forms."""

    profile = "openai-chat"
    marker_patterns = (reader.SUMMARY_PREFIX,)
    block_schema = reader.BLOCK_SCHEMA
    results_share_record = False
    results_are_records = True
    can_invent_calls = True

    # reading

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        message = reader.parse_message(parse_json(raw))
        if message is None:
            columns.add_record(start, end, Role.OPAQUE)
            return
        mark = message.form << RecordMark.VARIANT_SHIFT | (RecordMark.COMPACTION if message.is_summary else 0)
        mark |= RecordMark.MAYBE_MALFORMED if reader.misfits_of(message) else 0
        columns.add_record(start, end, message.role, mark)
        for part in reader.blocks_of_message(message):
            flags = placeholder_or_blank_flags(result_text(part.value)) if part.kind == BlockKind.RESULT else 0
            columns.add_block(part.kind, part.flag | flags, part.call_id, part.name)

    def misfits(self, message: Any) -> list[Misfit]:
        known = reader.parse_message(message)
        return reader.misfits_of(known) if known else []

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        prefix = reader.FIELD_POINTERS[(columns.marks[record] & RecordMark.VARIANT_MASK) >> RecordMark.VARIANT_SHIFT]
        row = columns.first_block[record] + ordinal
        kind, flag = columns.block_kinds[row], columns.block_flags[row]
        if reader.is_call_list_entry(kind, flag):
            sections = reader.INVALID | reader.IN_ADDITIONAL_KWARGS
            section = flag & sections

            def is_of_its_list(other: int) -> bool:
                flag = columns.block_flags[other]
                return reader.is_call_list_entry(columns.block_kinds[other], flag) and flag & sections == section

            # The blocks of one list are adjacent.
            begin = bisect_left(range(row), True, columns.first_block[record], key=is_of_its_list)
            return f"{prefix}{reader.CALL_LIST_POINTERS[section]}/{row - begin}"
        whole = kind == BlockKind.RESULT or (kind == BlockKind.TEXT and flag & BlockFlag.PLAIN_STRING)
        return f"{prefix}/content" if whole else f"{prefix}/content/{ordinal}"

    def view(self, raw: bytes) -> RecordView:
        message = reader.parse_message(parse_json(raw))
        if message is None:
            return RecordView("", tr("no message"))
        prefix = reader.FIELD_POINTERS[message.form]
        views = tuple(_prefixed_view(part, prefix) for part in reader.blocks_of_message(message))
        metadata = object_at(message.fields, "/response_metadata")
        model = metadata.get("model_name") or metadata.get("model")
        return RecordView(message.kind, "summary" if message.is_summary else "", views, model=str(model or ""))

    def truncation_reason(self, columns: Columns, record: int, raw: ReadRecord, pointer: str) -> str:
        """Return the provider's reason, or the name of the list of calls whose arguments could not be parsed."""
        if "/invalid_tool_calls/" in pointer:
            return "invalid_tool_calls"
        message = reader.parse_message(parse_json(raw(record)))
        return truncation_reason(message.fields, _STOP_REASON_POINTERS) if message is not None else ""

    def is_unlisted_call(self, columns: Columns, row: int) -> bool:
        return bool(columns.block_flags[row] & reader.IN_CONTENT)

    def set_profile(self, session: Session, columns: Columns, raw: ReadRecord) -> None:
        """Set the profile of the provider that the answers name."""
        profile = profile_name_of(*_newest_model(session, columns, raw))
        session.profile, session.provider_assumed = profile or self.profile, not profile

    def describe(self, log: Log, session: Session) -> None:
        super().describe(log, session)
        kinds, flags = log.columns.block_kinds, log.columns.block_flags
        rows = (row for record in session.main_thread.path for row in log.columns.block_rows(record))
        unread = sum(kinds[row] == BlockKind.CALL and bool(flags[row] & reader.INVALID) for row in rows)
        if unread:
            note = tr_plural(
                "{number} call has arguments that could not be parsed (invalid_tool_calls)",
                "{number} calls have arguments that could not be parsed (invalid_tool_calls)",
                unread,
            )
            session.state = joined("; ", filter(None, (session.state, note)))

    # what the agent does

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        if not rules:
            return ResumeBehavior(session.agent, "as-is", (), "LangChain")
        if rules & _UNANSWERED_RULES:
            return ResumeBehavior(session.agent, "refuses", (), tr("LangGraph's prebuilt agent (INVALID_CHAT_HISTORY)"))
        return ResumeBehavior(
            session.agent, "refuses", (), tr("The provider (LangGraph checks only the ids, so it sends the history)")
        )

    # writing

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        return rewrite_message(columns, record, raw, edits, lambda ordinal: self.pointer(columns, record, ordinal))

    def result_block(self, call: CallContext, text: str, failed: bool = True) -> bytes:
        like, status = parse_json_cached(call.raw), "error" if failed else "success"
        fields = {"content": text, "name": call.name, "tool_call_id": call.id, "status": status}
        return dump_json(reader.wrap_message(like, "tool", fields | _new_id(like, f"{call.id} {call.pointer}")))

    def quoted_result(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        """Return a human message that replaces the ToolMessage and has its id."""
        value = parse_json(raw)
        own = _id_of(value)
        own_id = {} if own is None else {"id": own}
        return dump_json(reader.wrap_message(value, "human", {"content": text} | own_id))

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        value = parse_json_cached(like)
        return dump_json(reader.wrap_message(value, "human", {"content": text} | _new_id(value, seed)))

    def call_records(self, call: CallContext, note: str, seed: str) -> list[bytes]:
        value = parse_json_cached(call.raw)
        invented = {"name": call.name, "args": {}, "id": call.id, "type": "tool_call"}
        fields = {"content": note, "tool_calls": [invented]} | _new_id(value, f"{seed}:call")
        return [dump_json(reader.wrap_message(value, "ai", fields))]


def _id_of(value: Any) -> str | None:
    """Return the id of a message, None if it has none."""
    message = reader.parse_message(value)
    return string_in(message.fields, "id") if message is not None else None


def _new_id(like: Any, seed: str) -> dict[str, str]:
    """Return the `id` member for a new message if `like` has one, since LangGraph replaces messages by id."""
    own = _id_of(like)
    return {} if own is None else {"id": deterministic_uuid(f"{own} {seed}")}


def _prefixed_view(part: reader.ParsedBlock, prefix: str) -> BlockView:
    value, at = part.value, prefix + part.pointer
    if part.kind == BlockKind.CALL:
        return replace(call_view(value, reader.BLOCK_SCHEMA, at), is_error=bool(part.flag & reader.INVALID))
    if part.kind == BlockKind.RESULT:
        error = bool(part.flag & BlockFlag.ERROR)
        return BlockView(part.kind, result_text(value), at, part.name or "", part.call_id or "", error)
    if part.kind == BlockKind.OTHER and part.call_id:
        return BlockView(part.kind, tr("the same call, as the provider sent it"), at)
    texts = (value, *(value_at(value, place) for place in ("/text", "/thinking", "/reasoning")))
    return BlockView(part.kind, next((text for text in texts if isinstance(text, str)), None) or pretty_json(value), at)


def _newest_model(session: Session, columns: Columns, raw: ReadRecord) -> tuple[str, str]:
    """Return provider and model of the first answer that names one, "" if none does."""
    answers = [record for record in session.main_thread.path[:40] if columns.roles[record] == Role.ASSISTANT]
    for record in answers[:5]:
        message = reader.parse_message(parse_json(raw(record)))
        metadata = object_at(message.fields, "/response_metadata") if message is not None else {}
        model = next((metadata[key] for key in ("model_name", "model", "model_id") if metadata.get(key)), "")
        if model or metadata.get("model_provider"):
            return str(metadata.get("model_provider") or ""), str(model)
    return "", ""
