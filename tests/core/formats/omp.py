"""omp: written as `SessionManager` of @oh-my-pi/pi-coding-agent 18.2.3 appends, loaded as pi does it.

What omp mends when it loads a session is not done here: the judge is to see the history as it stands.
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats import pi
from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer, tear_file
from tests.support.judges import openai_error
from tests.support.notation import History, clock, lines
from tests.system.corpus.otherwise import OfFormat

TITLE = {"type": "title", "v": 1, "title": "", "updatedAt": clock(0), "pad": " " * 40}


def records(history: History) -> list[dict[str, Any]]:
    """The lines: the title, the header, then the messages, with a note of each call that began."""
    made = [TITLE, pi.HEADER, pi.entry(2, None, "model_change", model="fake/fake-1")]
    for message in pi.messages(history):
        made.append(pi.entry(len(made), len(made) - 1, "message", message=message))
        for block in message["content"]:
            if block["type"] == "toolCall":
                began = {"toolCallId": block["id"], "toolName": block["name"], "startedAt": clock(0)}
                note = {"customType": "tool_execution_start", "data": began}
                made.append(pi.entry(len(made), len(made) - 1, "custom", **note))
    return made


def load(path: Path) -> History:
    data = path.read_bytes()
    title, _, rest = data.partition(b"\n")
    return pi.read(pi.context(rest if is_title(title) else data))


def is_title(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("type") == "title"


FORMAT = WrittenFormat(
    "omp",
    file_writer(pi.NAME, lambda history: lines(records(history))),
    load,
    openai_error,
    cannot=NO_DEVELOPER,
    tear=tear_file,
    provider="openai-chat",
    also=("keeps-inputs",),
    bookkeeping=("api",),
)
CORPUS = OfFormat(folders=("omp",), elsewhere=(), broken={})
