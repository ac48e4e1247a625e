"""Google ADK: a run that goes on with a session of a database, on a copy of it.

A line has the `url` of a provider, the `wire` of the model, the `path` of a database (or of a session as JSON, which is
saved to one first), the `session` and a new `prompt`. The line that is printed has the `answer` of the model, or the
`error` that was raised.
"""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from google.adk.agents import Agent
from google.adk.runners import Runner
from google.adk.sessions import Session
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

APP, PERSON, AGENT = "helper", "user", "root_agent"


def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def model_of(wire: str, url: str) -> Any:
    if wire == "gemini":
        os.environ |= {"GOOGLE_GEMINI_BASE_URL": url, "GOOGLE_API_KEY": "none"}
        return "gemini-2.5-flash"
    from google.adk.models.lite_llm import LiteLlm  # noqa: PLC0415 - loads LiteLLM, which takes seconds

    return LiteLlm(model="openai/gpt-5-mini", api_base=f"{url}/v1", api_key="none", num_retries=0)


async def saved(service: SqliteSessionService, path: str) -> str:
    """Save a session as `adk run --resume` does, and return its id."""
    stored = Session.model_validate_json(Path(path).read_text("utf-8"))
    session = await service.create_session(app_name=APP, user_id=PERSON, state=stored.state)
    for event in stored.events:
        await service.append_event(session, event)
    return str(session.id)


async def answer(row: dict[str, Any]) -> str:
    said = []
    with TemporaryDirectory() as folder:
        path, session = Path(folder) / "session.db", row["session"]
        if row["path"].endswith(".db"):
            shutil.copy(row["path"], path)
        service = SqliteSessionService(str(path))
        if not row["path"].endswith(".db"):
            session = await saved(service, row["path"])
        agent = Agent(name=AGENT, model=model_of(row["wire"], row["url"]), tools=[pay])
        runner = Runner(app_name=APP, agent=agent, session_service=service)
        prompt = types.Content(role="user", parts=[types.Part(text=row["prompt"])])
        async for event in runner.run_async(user_id=PERSON, session_id=session, new_message=prompt):
            if event.error_message:
                raise RuntimeError(event.error_message)
            said += [part.text or "" for part in (event.content and event.content.parts) or ()]
    return "".join(said)


for line in sys.stdin:
    row = json.loads(line)
    try:
        told = {"answer": asyncio.run(answer(row))}
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told))
