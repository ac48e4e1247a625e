"""How repaired messages go back into the program that holds them: a few lines of Python to copy."""

from typing import Any

from inspector.core.bytes.json_text import list_at, object_at, value_at
from inspector.core.bytes.source import Source
from inspector.core.errors import UnreadableLog
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.next_steps import NextSteps
from inspector.core.formats.langchain.threads import SHAPES
from inspector.core.wire import langchain

# By form: what is imported, and what makes messages of the dump.
_LOADERS = (
    ("from langchain_core.messages import convert_to_messages", "convert_to_messages"),
    ("from langchain_core.messages import messages_from_dict", "messages_from_dict"),
    ("from langchain_core.load import load", "load"),
)
_REPLACING = (
    "from langchain_core.messages import RemoveMessage",
    "from langgraph.graph.message import REMOVE_ALL_MESSAGES",
)
_READ = """
with open({path}, encoding="utf-8") as file:
    messages = {loader}({dump})
"""
_REPLACE = """
thread = {{"configurable": {{"thread_id": {thread}}}}}
graph.update_state(thread, {{"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *messages]}})
"""
_LOAD = "Load the repaired messages in your program, and send them."
_LOAD_SO = "Load the repaired messages with the lines below, and send them."
_STEPS = (
    "Stop what runs the thread: an update in between would be lost.",
    "Run the lines below where `graph` is your compiled graph with its checkpointer: they replace all messages.",
    "Then go on with graph.invoke(None, thread), or with a new message.",
)


def steps_for(path: str) -> NextSteps:
    """The steps after a save to `path`, and the snippet."""
    try:
        with Source.open(path) as source:
            head = Head(source)
    except UnreadableLog:
        return NextSteps((_LOAD,))
    if head.is_lines and len(head.lines) > 1 and langchain.parse_message(head.lines[0]) is None:
        return NextSteps((_LOAD,))  # a conversation a line
    thread = _thread(head)
    return NextSteps(_STEPS if thread else (_LOAD_SO,), _lines(path, head, thread))


def _thread(head: Head) -> str:
    """The id of the thread as a Python literal, "" for messages that belong to none."""
    state = _newest(head)[1]
    if "values" not in state:
        return ""
    named = (value_at(state, f"/{holder}/thread_id") for holder in ("checkpoint", "metadata", "config/configurable"))
    thread = next((each for each in named if isinstance(each, str)), None)
    return '"THE-ID-OF-YOUR-THREAD"' if thread is None else ascii(thread)


def _newest(head: Head) -> tuple[int, dict[str, Any]]:
    """The newest state of a history, and its place in it; -1 where the log is one object or a list of messages."""
    states = [object_at(state, "") for state in list_at(head.value, "")]
    if states and "values" in states[0]:
        newest = max(range(len(states)), key=lambda at: (str(states[at].get("created_at") or ""), -at))
        return newest, states[newest]
    return -1, object_at(head.value, "")


def _lines(path: str, head: Head, thread: str) -> str:
    """The lines that read the messages from the file, and put them into the thread if there is one."""
    number, state = _newest(head)
    lines = head.is_lines and langchain.parse_message(head.lines[0]) is not None
    dump = "[json.loads(line) for line in file]" if lines else "json.load(file)"
    if not lines:
        dump += f"[{number}]" if number >= 0 else ""
        dump += '["values"]' if "values" in state else ""
        dump += '["messages"]' if "values" in state or "messages" in state else ""
    line, loader = _LOADERS[_form(head, lines)]
    text = "\n".join(("import json", "", line, *(_REPLACING if thread else ()))) + "\n"
    text += _READ.format(path=ascii(path), loader=loader, dump=dump)
    return text + (_REPLACE.format(thread=thread) if thread else "")


def _form(head: Head, lines: bool) -> int:
    values = head.lines if lines else head.messages_in(SHAPES) or []
    return next((message.form for value in values if (message := langchain.parse_message(value))), langchain.FLAT)
