"""Strands: an agent that continues a session folder with a new prompt, on a copy of it.

A line has the `path` of the folder, the id of the `agent`, the `wire` of the model, the `url` of a provider for the
wires other than Bedrock, a `prompt`, and the name of the conversation `manager`. For Bedrock, the line that is printed
has the `messages` of the request: the client is a double, and botocore has looked at them. It also has the `files` that
are there afterwards, and the `error` that was raised.
"""

import asyncio
import base64
import json
import logging
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import botocore.session
from botocore.validate import ParamValidator
from strands import Agent, tool
from strands.agent import SlidingWindowConversationManager, SummarizingConversationManager
from strands.models.anthropic import AnthropicModel
from strands.models.bedrock import BedrockModel
from strands.models.openai import OpenAIModel
from strands.session.file_session_manager import FileSessionManager

logging.disable(logging.CRITICAL)
MANAGERS = {each.__name__: each for each in (SlidingWindowConversationManager, SummarizingConversationManager)}
SHAPE = (
    botocore.session.get_session().get_service_model("bedrock-runtime").operation_model("ConverseStream").input_shape
)
ANSWER = (
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"delta": {"text": "Done."}, "contentBlockIndex": 0}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"messageStop": {"stopReason": "end_turn"}},
)


class Refused(Exception):
    """Botocore does not send the request."""


class Client:
    """A client of Bedrock that sends nothing."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def converse_stream(self, **request: Any) -> Any:
        self.messages = request["messages"]
        report = ParamValidator().validate(request, SHAPE)
        if report.has_errors():
            raise Refused(report.generate_report())
        return {"stream": iter(ANSWER)}


def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def model_of(wire: str, url: str) -> Any:
    if wire == "anthropic":
        return AnthropicModel(
            client_args={"api_key": "none", "base_url": url}, model_id="claude-sonnet-4-5", max_tokens=99
        )
    if wire == "openai-chat":
        return OpenAIModel(client_args={"api_key": "none", "base_url": f"{url}/v1"}, model_id="gpt-5-mini")
    model = BedrockModel(region_name="us-west-2", model_id="us.anthropic.claude-sonnet-4-5")
    model.client = Client()
    return model


def told(row: dict[str, Any], folder: Path) -> dict[str, Any]:
    session = shutil.copytree(row["path"], folder / Path(row["path"]).name, symlinks=True)
    model = model_of(row["wire"], row["url"])
    answer: dict[str, Any] = {}
    try:
        manager = FileSessionManager(session.name.removeprefix("session_"), storage_dir=str(folder))
        agent = Agent(
            model=model,
            agent_id=row["agent"],
            tools=[tool(pay)],
            session_manager=manager,
            conversation_manager=MANAGERS[row["manager"]](),
            callback_handler=None,
        )
        asyncio.run(agent.invoke_async(row["prompt"]))
    except Exception as error:
        answer["error"] = f"{type(error).__name__}: {error}"
    files = session / "agents" / f"agent_{row['agent']}" / "messages"
    answer["files"] = sorted(each.name for each in files.glob("*.json"))
    answer["messages"] = getattr(model.client, "messages", []) if row["wire"] == "bedrock-converse" else []
    return answer


def shown(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else repr(value)


for line in sys.stdin:
    with TemporaryDirectory() as place:
        print(json.dumps(told(json.loads(line), Path(place)), default=shown))
