"""The Python code that loads repaired messages into their program, or puts them into their thread."""

from typing import Any

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.agent_behavior import NextSteps
from inspector.core.formats.base.langchain import reader
from inspector.core.formats.base.langchain.graph_state import CONTINUE_STEP, STATE_LAYOUT
from inspector.core.formats.base.log_head import Head
from inspector.core.storage.json_text import list_at, object_at, value_at
from inspector.core.storage.source import Source
from inspector.core.translation import tr

# By form: the import, and the function that makes messages of the dump.
_LOADER_CODE = (
    ("from langchain_core.messages import convert_to_messages", "convert_to_messages"),
    ("from langchain_core.messages import messages_from_dict", "messages_from_dict"),
    ("from langchain_core.load import load", "load"),
)
_REPLACE_IMPORTS = (
    "from langchain_core.messages import RemoveMessage",
    "from langgraph.graph.message import REMOVE_ALL_MESSAGES",
)
_READ_CODE = """
with open({path}, encoding="utf-8") as file:
    messages = {loader}({dump})
"""
# As an update of the node that called the tools, it would fail in the branch to them or end the run.
_REPLACE_CODE = """
thread = {{"configurable": {{"thread_id": {thread}}}}}
update = {{"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *messages]}}
graph.update_state(thread, update, as_node="__start__")
"""
_LOAD_STEP = tr("Load the repaired messages in your program and send them.")
_LOAD_WITH_CODE_STEP = tr("Load the repaired messages with the code below, and send them.")
_THREAD_STEPS = (
    tr("Stop the program that runs the thread. Otherwise, any update made during the repair will be lost."),
    tr("Run the code below, which replaces all messages. `graph` must be your compiled graph with its checkpointer."),
    CONTINUE_STEP,
)


def next_steps_with_snippet(path: str) -> NextSteps:
    """Return the steps after a save to `path`, with the code to run."""
    try:
        with Source.open(path) as source:
            head = Head(source)
    except UnreadableLog:
        return NextSteps((_LOAD_STEP,))
    if head.is_lines and len(head.lines) > 1 and reader.parse_message(head.lines[0]) is None:
        return NextSteps((_LOAD_STEP,))  # a conversation a line
    thread = _thread_literal(head)
    return NextSteps(_THREAD_STEPS if thread else (_LOAD_WITH_CODE_STEP,), _code_lines(path, head, thread))


def _thread_literal(head: Head) -> str:
    """Return the id of the thread as a Python literal, "" for messages that belong to none."""
    state = _newest_state(head)[1]
    if "values" not in state:
        return ""
    ids = (value_at(state, f"/{holder}/thread_id") for holder in ("checkpoint", "metadata", "config/configurable"))
    thread = next((thread_id for thread_id in ids if isinstance(thread_id, str)), None)
    return '"THE-ID-OF-YOUR-THREAD"' if thread is None else ascii(thread)


def _newest_state(head: Head) -> tuple[int, dict[str, Any]]:
    """Return the index and the newest state of a history; -1 if the log is one object or a list of messages."""
    states = [object_at(state, "") for state in list_at(head.value, "")]
    if states and "values" in states[0]:
        newest = max(range(len(states)), key=lambda at: (str(states[at].get("created_at") or ""), -at))
        return newest, states[newest]
    return -1, object_at(head.value, "")


def _code_lines(path: str, head: Head, thread: str) -> str:
    """Return the code that reads the messages from the file, and puts them into the thread if there is one."""
    number, state = _newest_state(head)
    lines = head.is_lines and reader.parse_message(head.lines[0]) is not None
    dump = "[json.loads(line) for line in file]" if lines else "json.load(file)"
    if not lines:
        dump += f"[{number}]" if number >= 0 else ""
        dump += '["values"]' if "values" in state else ""
        dump += '["messages"]' if "values" in state or "messages" in state else ""
    line, loader = _LOADER_CODE[_loader_for(head, lines)]
    text = "\n".join(("import json", "", line, *(_REPLACE_IMPORTS if thread else ()))) + "\n"
    text += _READ_CODE.format(path=ascii(path), loader=loader, dump=dump)
    return text + (_REPLACE_CODE.format(thread=thread) if thread else "")


def _loader_for(head: Head, lines: bool) -> int:
    values = head.lines if lines else head.messages_in(STATE_LAYOUT) or []
    return next((message.form for value in values if (message := reader.parse_message(value))), reader.FLAT)
