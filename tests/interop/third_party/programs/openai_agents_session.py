"""OpenAI Agents SDK: a run that goes on with the session of a database, on a copy of it.

A line has the `url` of a provider, the `path` of the database, its `session`, a new `prompt`, and whether the model
speaks the Responses API. The line that is printed has the `answer` of the model, or the `error` that was raised.
"""

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

set_tracing_disabled(True)


def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def answer(row: dict[str, Any]) -> str:
    client = AsyncOpenAI(base_url=f"{row['url']}/v1", api_key="none", max_retries=0)
    model = (OpenAIResponsesModel if row["responses"] else OpenAIChatCompletionsModel)("gpt-5-mini", client)
    agent = Agent("agent", model=model, tools=[function_tool(pay)])
    with TemporaryDirectory() as folder:
        path = shutil.copy(row["path"], Path(folder) / "sessions.db")
        return str(Runner.run_sync(agent, row["prompt"], session=SQLiteSession(row["session"], path)).final_output)


for line in sys.stdin:
    row = json.loads(line)
    try:
        told = {"answer": answer(row)}
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told))
