"""The state of a LangGraph thread around its messages: where the graph stopped, and what it no longer sends."""

from typing import Any

from inspector.core.formats.base.message_arrays import enclosing_request
from inspector.core.model.columnar_index import Columns, RecordMark
from inspector.core.model.session import Log, Session
from inspector.core.storage.json_document import MessagePaths
from inspector.core.storage.json_text import list_at, object_at, objects_at, parse_json, value_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

_MESSAGE_KEYS = frozenset({"type", "lc"})
USUAL_LAYOUT = MessagePaths(("messages", "values/messages"), message_keys=_MESSAGE_KEYS)
# Other keys of a state may hold lists of messages too, and lists of other things.
STATE_LAYOUT = MessagePaths((*USUAL_LAYOUT.message_paths, "values/*"), message_keys=_MESSAGE_KEYS)

CONTINUE_STEP = tr("Then continue with graph.invoke(None, thread), or with a new message.")


def set_stop_of_session(session: Session, state: dict[str, Any]) -> None:
    """Note in a session where its graph stopped."""
    nodes = [node for node in list_at(state, "/next") if isinstance(node, str)]
    tasks = objects_at(state, "/tasks")
    interrupts = list_at(state, "/interrupts") or [
        interrupt for task in tasks for interrupt in list_at(task, "/interrupts")
    ]
    if interrupts:
        session.state = (
            tr("interrupted while waiting for an answer before {nodes}", nodes=", ".join(nodes))
            if nodes
            else tr("interrupted while waiting for an answer")
        )
    elif nodes:
        session.state = tr("stopped before {nodes}", nodes=", ".join(nodes))
    session.stops_before_tool_calls = bool(nodes or interrupts)


def enclosing_state(log: Log, sequence: RecordSequence) -> dict[str, Any]:
    """Return the state that holds an array of messages, without the messages; {} if there is none."""
    text = enclosing_request(log, sequence, sequence.outermost_object or sequence.enclosing_object)
    try:
        return object_at(parse_json(text), "") if text else {}
    except ValueError:
        return {}


def mark_summarized(session: Session, columns: Columns, sequence: RecordSequence, state: dict[str, Any]) -> None:
    """Shorten the path to the messages that are still sent: deepagents keeps those replaced by a summary."""
    index = value_at(state, "/values/_summarization_event/cutoff_index")
    if not isinstance(index, int) or not 0 < index < sequence.high - sequence.low:
        return
    first = sequence.low + index
    kept = [at for at, record in enumerate(session.main_thread.path) if columns.stable_numbers[record] == first]
    if kept:
        session.main_thread.path = session.main_thread.path[kept[0] :]
        columns.add_marks(session.main_thread.path[0], RecordMark.COMPACTION)
