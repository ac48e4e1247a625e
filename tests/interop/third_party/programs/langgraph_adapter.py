"""LangGraph: the agent of the page, the hook of the prebuilt agent, and the update of a stored thread."""

from collections.abc import Iterator
from typing import Any

from adapting import PROMPT, Answer, answer_each, compared
from langchain.agents import create_agent
from langchain_core.messages import messages_from_dict
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import create_react_agent

THREAD = {"configurable": {"thread_id": "1"}}


def Read() -> str:
    """Read a file."""
    return "nothing"


def ids(message: Any) -> Iterator[str]:
    yield message.id
    yield from (call["id"] for call in getattr(message, "tool_calls", ()))
    if message.type == "tool":
        yield message.tool_call_id


def stored(graph: Any, messages: list[Any]) -> Any:
    graph.update_state(THREAD, {"messages": messages}, as_node="__start__")
    return graph


def said(graph: Any) -> str:
    return str(graph.invoke({"messages": [("user", PROMPT)]}, THREAD)["messages"][-1].content)


def answer(history: Any, url: str, blocks: list[str]) -> Answer:
    messages = messages_from_dict(history)
    model = ChatOpenAI(model="fake-model", base_url=f"{url}/v1", api_key="none", max_retries=0)
    plain = stored(create_agent(model, [Read], checkpointer=InMemorySaver()), messages)
    if not blocks:
        return {"answer": said(plain)}
    scope = {"model": model, "tools": [Read], "checkpointer": InMemorySaver(), "graph": plain, "thread": THREAD}
    for block in blocks:
        exec(block, scope)
    repair_state: Any = scope["repair_state"]
    hooked = create_react_agent(model, [Read], checkpointer=InMemorySaver(), pre_model_hook=repair_state)
    (said_by_all,) = {said(stored(scope["agent"], messages)), said(stored(hooked, messages)), said(plain)}
    after = repair_state({"messages": messages}).get("messages", messages)
    return {"answer": said_by_all} | compared(messages, after, ids)


answer_each(answer)
