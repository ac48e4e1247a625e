"""What the state of a LangGraph thread says of its messages: where the graph stopped, and what it no longer sends."""

from typing import Any

from inspector.core.bytes.json_text import list_at, object_at, objects_at, text_at, value_at, value_of
from inspector.core.bytes.sequences import Sequence
from inspector.core.containers.document import Shapes
from inspector.core.formats.bases.request_body import request_around
from inspector.core.index.columns import Columns, Mark, Role
from inspector.core.index.session import Log, Session

_TELLING = frozenset({"type", "lc"})
USUAL = Shapes(("messages", "values/messages"), telling=_TELLING)
# Other keys of a state may hold lists of messages too, and lists of other things.
SHAPES = Shapes((*USUAL.lists, "values/*"), telling=_TELLING)


def tell_state(session: Session, log: Log, columns: Columns, sequence: Sequence) -> None:
    """Note in a session where its graph stopped, and whether a newer state of the thread is in the log."""
    state = state_around(log, sequence)
    if "values" not in state:
        return
    session.agent = "langgraph"
    nodes = [node for node in list_at(state, "/next") if isinstance(node, str)]
    tasks = objects_at(state, "/tasks")
    asked = list_at(state, "/interrupts") or [each for task in tasks for each in list_at(task, "/interrupts")]
    if asked:
        session.state = "interrupted: it waits for an answer" + (f" before {', '.join(nodes)}" if nodes else "")
    elif nodes:
        session.state = f"stopped before {', '.join(nodes)}"
    session.answering = bool(nodes or asked)
    if _is_older(log, sequence, state):
        session.main.side = True
        session.state = "an earlier state of the thread"
    _leave_out_summarised(session, columns, sequence, state)


def state_around(log: Log, sequence: Sequence) -> dict[str, Any]:
    """The state that holds an array of messages, without these; {} where there is none."""
    text = request_around(log, sequence, sequence.root)
    try:
        return object_at(value_of(text), "") if text else {}
    except ValueError:
        return {}


def sort_out(sessions: list[Session], columns: Columns) -> list[Session]:
    """The sessions that hold any message, else the first: other lists of a state hold objects of other kinds."""
    spoken = [each for each in sessions if any(columns.roles[record] != Role.OPAQUE for record in each.members)]
    return spoken or sessions[:1]


def _is_older(log: Log, sequence: Sequence, state: dict[str, Any]) -> bool:
    """Whether the log holds a newer state than this one: later by its time, or without times before it."""
    roots = {each.root for each in log.sequences if each.root is not None}
    if len(roots) < 2:
        return False
    own = text_at(state, "/created_at")
    for other in log.sequences:
        if other.root is not None and other.root != sequence.root:
            time = text_at(state_around(log, other), "/created_at")
            if time > own or (time == own and sequence.root is not None and other.root < sequence.root):
                return True
    return False


def _leave_out_summarised(session: Session, columns: Columns, sequence: Sequence, state: dict[str, Any]) -> None:
    """deepagents keeps messages that a summary stands for, and sends only those from an index on."""
    index = value_at(state, "/values/_summarization_event/cutoff_index")
    if not isinstance(index, int) or not 0 < index < sequence.high - sequence.low:
        return
    first = sequence.low + index
    kept = [at for at, record in enumerate(session.main.path) if columns.slots[record] == first]
    if kept:
        session.main.path = session.main.path[kept[0] :]
        columns.mark(session.main.path[0], Mark.BOUNDARY)
