"""OpenAI Agents SDK: a run that goes on with a stored session, which stays as it is but for the new items."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from adapting import PROMPT, Answer, answer_each, compared
from agents import Agent, OpenAIResponsesModel, Runner, SQLiteSession, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)


def Read() -> str:
    """Read a file."""
    return "nothing"


def ids(item: dict[str, Any]) -> Iterator[str]:
    return (item[key] for key in ("id", "call_id") if key in item)


def answer(history: Any, url: str, blocks: list[str]) -> Answer:
    client = AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    agent = Agent("agent", model=OpenAIResponsesModel("fake-model", client), tools=[function_tool(Read)])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        session = SQLiteSession("1", path)
        asyncio.run(session.add_items(history))
        if not blocks:
            return {"answer": Runner.run_sync(agent, PROMPT, session=session).final_output}
        scope: dict[str, Any] = {"agent": agent, "prompt": PROMPT, "session_id": "1", "path": path}
        for block in blocks:
            exec(block, scope)
        stored = asyncio.run(session.get_items())
        assert stored[:-2] == history
        repaired = asyncio.run(scope["RepairedSession"]("1", path).get_items())[:-2]
    same = [next((one for one in history if one == item), item) for item in repaired]  # JSON gives equal items
    return {"answer": scope["result"].final_output} | compared(history, same, ids)


answer_each(answer)
