"""LangChain messages, and the state of a LangGraph thread that holds them.

Facts: the shapes are those of `formats/langchain/reader.py`; a state is `langgraph_sdk.schema.ThreadState`, and the
history of a thread is a list of states. `next` that is not empty, or an interrupt, means that the graph stopped on
purpose. On resume `langgraph.prebuilt` (`_validate_chat_history`, error INVALID_CHAT_HISTORY) compares the ids of
calls and results as sets and so sees no orphan, no wrong order and no duplicate; `langchain.agents.create_agent` 1.4
answers invalid calls in memory; deepagents 0.7 (`PatchToolCallsMiddleware`) answers every open call. A summary is a
human message that SummarizationMiddleware marks with `additional_kwargs.lc_source`; deepagents keeps it outside the
messages, in `_summarization_event`, with the index of the first message that it still sends. `invalid_tool_calls`
are sent to the provider (`langchain_openai`, `langchain_anthropic`), but not by `convert_to_openai_messages`.
"""

from bisect import bisect_left
from typing import Any

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import NextSteps, ResumeBehavior
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MESSAGE_CONTAINER_KEYS, MessageArrays
from inspector.core.formats.base.writer import BlockEdits, CallContext, Writer, deterministic_uuid
from inspector.core.formats.langchain import reader
from inspector.core.formats.langchain.graph_state import (
    STATE_LAYOUT,
    USUAL_LAYOUT,
    sessions_with_messages,
    set_graph_state_of_session,
)
from inspector.core.formats.langchain.writer import next_steps_with_snippet, rewrite_message
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
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import joined, tr, tr_plural

# The names in LangChain's packages for OpenAI, Anthropic, Bedrock and Google; `status` is from an item of Responses.
_STOP_REASON_POINTERS = tuple(
    f"/response_metadata/{key}" for key in "finish_reason stop_reason stopReason finishReason status".split()
)
_UNANSWERED_RULES = frozenset({*OPEN_CALL_RULES, "C1"})


class LangChain(MessageArrays, Writer):
    """Lists of LangChain messages in any of their forms, and LangGraph states."""

    name = "langchain"
    label = "LangChain / LangGraph"
    keys = f"{MESSAGE_CONTAINER_KEYS} lc data values"
    marker_patterns = (reader.SUMMARY_PREFIX,)
    detection = tr(
        "messages with a type (human, ai or tool) and no role, stored in data, constructor kwargs or plain fields"
    )
    read = tr(
        "the output of messages_to_dict, dumpd or model_dump, as a list, as one message per line, as a "
        "thread's state, or as a history of states"
    )
    write_back = tr(
        "yes, as a copy or in place. For a thread, a code snippet that replaces its messages is also available"
    )
    resume = tr("every call has a ToolMessage. Ids are compared as sets, so only the provider detects other problems")
    unsupported = tr(
        "checkpoint databases and LangSmith runs. Older states of a history are displayed but not repaired"
    )
    source = "langchain-core 1.7, langgraph 1.2, deepagents 0.7"
    profile = "openai-chat"
    block_schema = reader.BLOCK_SCHEMA
    results_share_record = False
    results_are_records = True
    shapes = STATE_LAYOUT
    can_invent_calls = True

    # reading

    def score(self, head: Head) -> float:
        a_line = head.is_lines and not head.other_lines and reader.parse_message(head.lines[0]) is not None
        values = head.lines if a_line else head.messages_in(USUAL_LAYOUT) or head.messages_in(STATE_LAYOUT)
        messages = [message for value in values or () if (message := reader.parse_message(value))]
        if not values or not messages or len(messages) < len(values) - _unserialized_count(values):
            return 0.0
        forms = {message.form for message in messages}
        if reader.FLAT not in forms:
            return 0.95
        is_distinctive = any(
            {"additional_kwargs", "response_metadata", "tool_call_id"} & m.fields.keys() for m in messages
        )
        if is_distinctive:
            return 0.9
        # Many programs write lines with a type and a content, but two of the types are LangChain's own.
        return 0.6 if any(message.kind in ("human", "ai") for message in messages) else 0.0

    def is_message_line(self, first: dict[str, Any]) -> bool:
        return reader.parse_message(first) is not None

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        message = reader.parse_message(parse_json(raw))
        if message is None:
            columns.add_record(start, end, Role.OPAQUE)
            return
        mark = message.form << RecordMark.VARIANT_SHIFT | (RecordMark.COMPACTION if message.is_summary else 0)
        mark |= RecordMark.MAYBE_MALFORMED if reader.content_misfits(message) else 0
        columns.add_record(start, end, message.role, mark)
        for part in reader.blocks_of_message(message):
            flags = placeholder_or_blank_flags(result_text(part.value)) if part.kind == BlockKind.RESULT else 0
            columns.add_block(part.kind, part.flag | flags, part.call_id, part.name)

    def misfits(self, message: Any) -> list[Misfit]:
        known = reader.parse_message(message)
        return reader.content_misfits(known) if known else []

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        return sessions_with_messages(super().sessions(log, columns, raw), columns)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        session.agent = "langchain"
        set_graph_state_of_session(session, log, columns, sequence)
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

    # saving

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return next_steps_with_snippet(path)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        return next_steps_with_snippet(path)


def _unserialized_count(values: list[dict[str, Any]]) -> int:
    """Return the number of objects that are not messages because `dumpd` could not write them."""
    return sum(value.get("lc") is not None and reader.parse_message(value) is None for value in values)


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
