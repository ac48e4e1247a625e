"""LangChain messages, and the state of a LangGraph thread that holds them.

Facts: the shapes are those of `base/langchain/reader.py`; a state is `langgraph_sdk.schema.ThreadState`, and the
history of a thread is a list of states. `next` that is not empty, or an interrupt, means that the graph stopped on
purpose. On resume `langgraph.prebuilt` (`_validate_chat_history`, error INVALID_CHAT_HISTORY) compares the ids of
calls and results as sets and so sees no orphan, no wrong order and no duplicate; `langchain.agents.create_agent` 1.4
answers invalid calls in memory; deepagents 0.7 (`PatchToolCallsMiddleware`) answers every open call. A summary is a
human message that SummarizationMiddleware marks with `additional_kwargs.lc_source`; deepagents keeps it outside the
messages, in `_summarization_event`, with the index of the first message that it still sends. `invalid_tool_calls`
are sent to the provider (`langchain_openai`, `langchain_anthropic`), but not by `convert_to_openai_messages`.
"""

from typing import Any

from inspector.core.formats.base.agent_behavior import NextSteps
from inspector.core.formats.base.langchain import LangChainMessages, reader
from inspector.core.formats.base.langchain.graph_state import (
    STATE_LAYOUT,
    USUAL_LAYOUT,
    enclosing_state,
    mark_summarized,
    set_stop_of_session,
)
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.message_arrays import MESSAGE_CONTAINER_KEYS
from inspector.core.formats.langchain.next_steps import next_steps_with_snippet
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import Log, Session
from inspector.core.storage.json_text import text_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr


class LangChain(LangChainMessages):
    """Lists of LangChain messages in any of their forms, and LangGraph states."""

    name = "langchain"
    label = "LangChain / LangGraph"
    keys = f"{MESSAGE_CONTAINER_KEYS} lc data values"
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
    unsupported = tr("LangSmith runs. Older states of a history are displayed but not repaired")
    source = "langchain-core 1.7, langgraph 1.2, deepagents 0.7"
    shapes = STATE_LAYOUT

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

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        return _sessions_with_messages(super().sessions(log, columns, raw), columns)

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        session.agent = "langchain"
        state = enclosing_state(log, sequence)
        if "values" in state:
            session.agent = "langgraph"
            set_stop_of_session(session, state)
            if _is_older(log, sequence, state):
                session.main_thread.is_side = True
                session.state = tr("an earlier state of the thread")
            mark_summarized(session, columns, sequence, state)
        self.set_profile(session, columns, raw)

    # saving

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        return next_steps_with_snippet(path)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        return next_steps_with_snippet(path)


def _unserialized_count(values: list[dict[str, Any]]) -> int:
    """Return the number of objects that are not messages because `dumpd` could not write them."""
    return sum(value.get("lc") is not None and reader.parse_message(value) is None for value in values)


def _sessions_with_messages(sessions: list[Session], columns: Columns) -> list[Session]:
    """Return the sessions that hold a message, or else the first: a state has lists of other objects as well."""
    with_messages = [
        session for session in sessions if any(columns.roles[record] != Role.OPAQUE for record in session.records)
    ]
    return with_messages or sessions[:1]


def _is_older(log: Log, sequence: RecordSequence, state: dict[str, Any]) -> bool:
    """Return whether the log holds a newer state than this one: with a later time, or with the same time before it."""
    roots = {other.outermost_object for other in log.sequences if other.outermost_object is not None}
    if len(roots) < 2:
        return False
    own = text_at(state, "/created_at")
    for other in log.sequences:
        if other.outermost_object is not None and other.outermost_object != sequence.outermost_object:
            time = text_at(enclosing_state(log, other), "/created_at")
            if time > own or (
                time == own
                and sequence.outermost_object is not None
                and other.outermost_object < sequence.outermost_object
            ):
                return True
    return False
