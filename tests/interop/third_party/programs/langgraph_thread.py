"""LangGraph: a thread of a database is made, or goes on, on a copy of it.

A line has the `url` of a provider, the `path` of the database and the `kind` of the agent. With `make`, the thread gets
as many turns as `make` says, and the last of two is stopped in its second tool. Without it, the thread goes on with a
`prompt`, or with None where there is none. The line that is printed has the `messages` of the state, or the `error`.
"""

import json
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deepagents import create_deep_agent
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.prebuilt import create_react_agent

AGENTS = {"react": create_react_agent, "create": create_agent, "deep": create_deep_agent}
THREAD: Any = {"configurable": {"thread_id": "thread-1"}}
killed = False


def pay(amount: int) -> str:
    """Pay an amount."""
    if killed and not amount % 2:
        time.sleep(0.5)  # the other tool has ended
        raise KeyboardInterrupt
    return f"paid {amount}"


def agent(row: dict[str, Any], saver: SqliteSaver) -> Any:
    model = ChatOpenAI(
        model="gpt-5-mini", base_url=f"{row['url']}/v1", api_key="none", max_retries=0, use_responses_api=False
    )
    return AGENTS[row["kind"]](model, [tool(pay)], checkpointer=saver)


def make(row: dict[str, Any]) -> list[Any]:
    global killed
    with SqliteSaver.from_conn_string(row["path"]) as saver:
        graph = agent(row, saver)
        graph.invoke({"messages": [("user", "go")]}, THREAD)
        if row["make"] == 2:
            killed = True
            try:
                graph.invoke({"messages": [("user", "again")]}, THREAD)
            except KeyboardInterrupt:
                killed = False
        return [type(message).__name__ for message in graph.get_state(THREAD).values["messages"]]


def go_on(row: dict[str, Any]) -> list[Any]:
    with TemporaryDirectory() as folder:
        path = shutil.copy(row["path"], Path(folder) / "checkpoints.db")
        with SqliteSaver.from_conn_string(str(path)) as saver:
            graph = agent(row, saver)
            found = graph.invoke({"messages": [("user", row["prompt"])]} if row["prompt"] else None, THREAD)
            return [type(message).__name__ for message in found["messages"]]


for line in sys.stdin:
    row = json.loads(line)
    told: dict[str, Any]
    try:
        told = {"messages": make(row) if row.get("make") else go_on(row)}
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told))
