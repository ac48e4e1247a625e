"""Pydantic AI: a run that goes on with a stored history and a new prompt, with a model of one of three APIs.

A line has the `url` of a provider, the `wire` of the model, the text of the `history` and a `prompt`. The line that is
printed has the `answer` of the model, or the `error` that was raised.
"""

import json
import sys
from typing import Any

from pydantic_ai import Agent, ModelMessagesTypeAdapter
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider


def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def model_of(wire: str, url: str) -> Model:
    if wire == "anthropic":
        return AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(base_url=url, api_key="none"))
    provider = OpenAIProvider(base_url=f"{url}/v1", api_key="none")
    return (OpenAIResponsesModel if wire == "openai-responses" else OpenAIChatModel)("gpt-5-mini", provider=provider)


def answer(row: dict[str, Any]) -> str:
    agent = Agent(model_of(row["wire"], row["url"]), tools=[pay])
    return agent.run_sync(row["prompt"], message_history=ModelMessagesTypeAdapter.validate_json(row["history"])).output


for line in sys.stdin:
    row = json.loads(line)
    try:
        told = {"answer": answer(row)}
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told))
