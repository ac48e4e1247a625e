"""Hermes: resume a session as `hermes --resume` does, on a copy of its database.

A line has the `url` of a provider, the `path` of a database (or of an export, which is imported to one first), the
`session` and a new `prompt`. The line that is printed has the `answer` of the model, or the `error` that was raised.
"""

import json
import os
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HOME = TemporaryDirectory()
os.environ |= {"HERMES_HOME": HOME.name, "HOME": HOME.name}

from hermes_state import SessionDB  # noqa: E402 - reads the variable
from run_agent import AIAgent  # noqa: E402 - reads the variable


def database_of(path: str, folder: Path) -> Any:
    copy = folder / "state.db"
    if path.endswith(".db"):
        shutil.copy(path, copy)
        return SessionDB(copy)
    database = SessionDB(copy)
    told = database.import_sessions([json.loads(line) for line in Path(path).read_text("utf-8").splitlines()])
    if not told["ok"]:
        raise RuntimeError(str(told["errors"]))
    return database


def answer(row: dict[str, Any], folder: Path) -> str:
    database = database_of(row["path"], folder)
    try:
        session = database.resolve_resume_session_id(row["session"])
        history = database.get_messages_as_conversation(session, repair_alternation=True)
    finally:
        database.close()
    agent = AIAgent(
        base_url=f"{row['url']}/v1",
        api_key="none",
        model="fake-model",
        quiet_mode=True,
        enabled_toolsets=["todo"],
        skip_context_files=True,
        skip_memory=True,
        session_id=session,
    )
    history = [message for message in history if message.get("role") != "session_meta"]
    told = agent.run_conversation(row["prompt"], conversation_history=history)
    if told.get("failed") or told.get("error"):
        raise RuntimeError(str(told.get("error") or told.get("final_response")))
    return str(told.get("final_response"))


for line in sys.stdin:
    row = json.loads(line)
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            told = {"answer": answer(row, Path(folder))}
        except Exception as error:
            told = {"error": f"{type(error).__name__}: {error}"}
    sys.__stdout__.write(json.dumps(told) + "\n")  # type: ignore[union-attr]
