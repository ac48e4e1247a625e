"""Pydantic AI: a run that goes on with a stored history."""

from collections.abc import Iterator
from typing import Any

from adapting import PROMPT, Answer, answer_each, compared
from pydantic_ai import Agent, ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


def Read() -> str:
    """Read a file."""
    return "nothing"


def ids(message: Any) -> Iterator[str]:
    return (part.tool_call_id for part in message.parts if part.part_kind in ("tool-call", "tool-return"))


def answer(history: Any, url: str, blocks: list[str]) -> Answer:
    messages = ModelMessagesTypeAdapter.validate_python(history)
    model = OpenAIChatModel("fake-model", provider=OpenAIProvider(base_url=f"{url}/v1", api_key="none"))
    agent = Agent(model, tools=[Read])
    if not blocks:
        return {"answer": agent.run_sync(PROMPT, message_history=messages).output}
    scope: dict[str, Any] = {"agent": agent, "prompt": PROMPT, "history": messages}
    for block in blocks:
        exec(block, scope)
    return {"answer": scope["result"].output} | compared(messages, scope["repair_history"](messages), ids)


answer_each(answer)
