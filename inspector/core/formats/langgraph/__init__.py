"""LangGraph: the database of its `SqliteSaver`, whose rows are the checkpoints of threads.

Facts: langgraph 1.2.24, langgraph-checkpoint-sqlite 3.1.2, and deepagents 0.7.32, whose command line keeps its threads
in `~/.deepagents/.state/sessions.db` (before 2026 in `~/.deepagents/sessions.db`); elsewhere, the path is the program's
own choice. How a thread is read is described in `state`, and what is written in `writer`.

`invoke(None, thread)` continues a thread: the results of tools that ended before the program did are taken from
`writes`, and the other tools run. A new message ends that: those results are no longer part of the thread, so the
calls stay unanswered, and langgraph's own agent (INVALID_CHAT_HISTORY) or the provider refuses them. The `writes` still
hold the results. `PatchToolCallsMiddleware` of deepagents answers open calls with a placeholder instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import (
    RUN_STEP,
    InvalidCharacters,
    NextSteps,
    RequestBuilder,
    ResumeBehavior,
)
from inspector.core.formats.base.call_evidence import CallEvidenceSource, EvidenceItem, EvidenceQuery
from inspector.core.formats.base.databases import CLOSE_PROGRAM_STEP, DatabaseFormat
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.langchain import LangChainMessages
from inspector.core.formats.base.langchain.graph_state import (
    CONTINUE_STEP,
    enclosing_state,
    mark_summarized,
    set_stop_of_session,
)
from inspector.core.formats.base.langchain.reader import parse_message
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.lost_results import LostResult, LostResultSource
from inspector.core.formats.base.stores import StorePattern
from inspector.core.formats.base.writer import CallContext, deterministic_uuid
from inspector.core.formats.langgraph import request
from inspector.core.lazy import LazyModule
from inspector.core.model.columnar_index import Columns, ReadRecord
from inspector.core.model.session import Log, Session
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import dump_json, list_at, text_at, value_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import joined, tr, tr_plural

if TYPE_CHECKING:
    from inspector.core.storage.sqlite import DatabaseContainer

TABLES = {
    "checkpoints": {"thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id", "type", "checkpoint"},
    "writes": {"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "type", "value"},
}
_STATE_KEYS = {"checkpoint", "next", "pending_calls", "pending_writes", "interrupts", "values"}
# The function that made a graph, by the beginning of the name of a node.
_AGENTS = (
    ("PatchToolCallsMiddleware", request.DEEP_AGENTS),
    ("model", request.CREATE_AGENT),
    ("agent", request.REACT_AGENT),
)
_LABELS = {
    request.DEEP_AGENTS: "Deep Agents",
    request.CREATE_AGENT: "LangChain (create_agent)",
    request.REACT_AGENT: "LangGraph (create_react_agent)",
}
_WHOLE_THREAD = tr("the whole thread")


class LangGraph(DatabaseFormat, LangChainMessages, RequestBuilder, CallEvidenceSource, LostResultSource):
    """Threads of LangGraph."""

    tables = TABLES
    assembly = LazyModule("inspector.core.formats.langgraph.assembly")
    name = "langgraph"
    label = "LangGraph checkpoints"
    keys = "pending_calls"
    container = tr("SQLite database")
    detection = tr("tables named checkpoints and writes")
    read = tr(
        "the messages in the newest checkpoint of each thread, and the results of tool calls that "
        "finished after that checkpoint (in the writes table). Code that the database refers to is never "
        "executed"
    )
    write_back = tr(
        "yes, as a copy or in place. The repair is added as a new checkpoint of the thread, and no "
        "existing row is changed"
    )
    resume = tr(
        "graph.invoke(None, thread) continues a thread that stopped before its tools finished, and no "
        "finished results are lost. After a new message, open calls are rejected"
    )
    unsupported = tr(
        "messages in several channels, encrypted or pickled checkpoints, and databases other than SQLite. Subgraphs "
        "are displayed but not repaired"
    )
    lost_result_places = tr("in the `writes` table, which contains the results of tools that a new message discarded")
    source = "langgraph 1.2.24, langgraph-checkpoint-sqlite 3.1.2, deepagents 0.7.32"
    shapes = MessagePaths(("values/messages",), message_keys=frozenset({"type", "lc"}))
    is_provider_api = False
    members_are_records = True
    stores = (
        StorePattern("~/.deepagents", ".state/sessions.db", agent="Deep Agents"),
        StorePattern("~/.deepagents", "sessions.db", agent="Deep Agents"),
    )

    # reading

    def score(self, head: Head) -> float:
        """Return how sure it is that a document holds threads in the form in which a database is put together."""
        threads = head.value if isinstance(head.value, list) else []
        is_own = bool(threads) and all(isinstance(each, dict) and each.keys() >= _STATE_KEYS for each in threads)
        messages = head.messages_in(self.shapes) or []
        return 0.97 if is_own and all(map(parse_message, messages)) else 0.0

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if isinstance(source, AssembledSource):
            return self.index_assembled(source, reading)
        return super().index(source, replace(reading, deep=True))

    def read_context(
        self, session: Session, log: Log, columns: Columns, sequence: RecordSequence, raw: ReadRecord
    ) -> None:
        state = enclosing_state(log, sequence)
        namespace = text_at(state, "/checkpoint/checkpoint_ns")
        thread = str(value_at(state, "/checkpoint/thread_id") or session.id)
        session.id = f"{thread}/{namespace}" if namespace else thread
        session.main_thread.is_side = bool(namespace)
        nodes = [node for node in list_at(state, "/nodes") if isinstance(node, str)]
        made_by = (agent for start, agent in _AGENTS if any(node.startswith(start) for node in nodes))
        session.agent = next(made_by, request.OTHER_GRAPH)
        set_stop_of_session(session, state)
        session.stops_before_tool_calls = bool(list_at(state, "/pending_calls"))
        results = value_at(state, "/pending_writes")
        if session.stops_before_tool_calls and isinstance(results, int):
            note = tr_plural(
                "graph.invoke(None, thread) runs them and uses {number} finished result",
                "graph.invoke(None, thread) runs them and uses {number} finished results",
                results,
            )
            session.state = joined(
                "; ", (session.state, note if results else tr("graph.invoke(None, thread) runs them"))
            )
        mark_summarized(session, columns, sequence, state)
        self.set_profile(session, columns, raw)

    def lost_results_beside(self, log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
        """Yield the results that tools wrote before a new message discarded them."""
        if (container := _database_of(log)) is not None:
            from inspector.core.formats.langgraph import lost_results  # noqa: PLC0415 - see `assemble`

            yield from lost_results.results_in_writes(log, container, calls)

    def recovered_block(self, call: CallContext, result: LostResult) -> bytes:
        """Return the message of the tool as LangGraph wrote it, under an id that no other message has."""
        return dump_json(result.content | {"id": deterministic_uuid(f"{call.id} {call.pointer}")})

    def evidence_beside(self, log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
        """Yield the errors that tools ended with."""
        if (container := _database_of(log)) is not None:
            from inspector.core.formats.langgraph import call_evidence  # noqa: PLC0415 - see `assemble`

            yield from call_evidence.errors_of_tools(log, container, calls)

    # what the program does

    build_request = staticmethod(request.build_request)
    handles_invalid_characters = MappingProxyType({"F5": InvalidCharacters.SKIPPED, "F7": InvalidCharacters.SENT})

    def resume_behavior(self, session: Session, rules: set[str]) -> ResumeBehavior:
        """Return what the program does with damage: it stops at a row that cannot be decoded."""
        label = _LABELS.get(session.agent, "LangGraph")
        if any(rule.startswith("F") for rule in rules):
            return ResumeBehavior(session.agent, "refuses", (_WHOLE_THREAD,), label, error=request.DAMAGED_ROW)
        return ResumeBehavior(session.agent, "as-is", (), label)

    # what the person does after a save

    def resume_steps(self, path: str, session_id: str, new: bool) -> NextSteps:
        close = CLOSE_PROGRAM_STEP
        if Path(path).match(".deepagents/.state/sessions.db") or Path(path).match(".deepagents/sessions.db"):
            return NextSteps((RUN_STEP,), f"deepagents -r {session_id}", close)
        step = tr('Open thread "{session_id}" with a SqliteSaver for "{path}".', session_id=session_id, path=path)
        return NextSteps((step, CONTINUE_STEP), close=close)

    def copy_steps(self, log: Log, path: str) -> NextSteps:
        if not isinstance(log.source, AssembledSource):
            return super().copy_steps(log, path)
        step = tr('Use "{path}" as the database of your SqliteSaver. The thread ids are the same.', path=path)
        return NextSteps((step, CONTINUE_STEP))


def _database_of(log: Log) -> DatabaseContainer | None:
    """Return the database that a log was read from, None for a log that is a text."""
    return cast("DatabaseContainer", log.source.container) if isinstance(log.source, AssembledSource) else None
