"""The results of commands that Kimi Code keeps in files of the session, where the result of the call is missing.

Facts: seen in 2.1.0: a command with a large output, or in the background, has `tasks/<id>.json` next to the log, with
`parentToolCallId`, `status`, `exitCode` and `endedAt`, and its whole output in `tasks/<id>/output.log`. Of an output of
more than 50,000 characters the model is given the first 4,096 and the last 1,024, and how to get at the rest. The file
says `running` where the agent died before the command ended.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.lost_results import LostResult, SessionFolder
from inspector.core.model.session import Log
from inspector.core.storage.json_text import object_at
from inspector.core.translation import tr

FOLDER = "tasks"
PLACES = tr(
    "in `tasks/<id>/output.log` next to the log, for a command that produces a large output or runs "
    "in the background. The id of the call is in `tasks/<id>.json`. The end of the output is also in "
    "the `task.terminated` event. `wire.jsonl.bak` contains the part of the log that Kimi Code cut "
    "off at a damaged line. You can pass this file to `--results-from`"
)
_ENDED = ("completed", "failed")
_IN_BACKGROUND = tr("the command ran in the background, and the call got its result before the command ended")
_END_ONLY = tr("only the end of the output was recorded")
_MOST, _HEAD, _TAIL = 50_000, 4_096, 1_024  # characters


def lost_results_beside(log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the results in the files of tasks; see `LostResultSource.lost_results_beside`."""
    if not os.path.isfile(log.source.path):
        return
    folder = SessionFolder(os.path.dirname(log.source.path))
    for name in folder.names(FOLDER):
        task, suffix = os.path.splitext(name)
        info = folder.read_json(FOLDER, name) if suffix == ".json" else {}
        call = calls.get(str(info.get("parentToolCallId")))
        code = _exit_code(info)
        if call is None or code is None or info.get("taskId") != task:
            continue
        output = folder.read(FOLDER, task, "output.log")
        if output is not None:
            text = _as_written(call, task, output, code)
            doubt = _IN_BACKGROUND if info.get("detached") is not False else ""
            yield LostResult(
                call.id, text, tr("named by {name}", name=name), code != 0, doubt, f"{FOLDER}/{task}/output.log"
            )


def lost_results_in_event(row: Any, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the end of the output of a task that ended; see `LostResultSource.lost_results_in`."""
    info = object_at(row, "/info")
    call, code = calls.get(str(info.get("parentToolCallId"))), _exit_code(info)
    tail = row.get("outputTail") if isinstance(row, dict) and row.get("type") == "task.terminated" else None
    if call is not None and code is not None and isinstance(tail, str):
        yield LostResult(call.id, _with_code(tail, code), "event task.terminated", code != 0, _END_ONLY)


def _exit_code(info: Mapping[str, Any]) -> int | None:
    """Return the exit code of a task that ended, else None."""
    code, has_ended = info.get("exitCode"), info.get("status") in _ENDED and isinstance(info.get("endedAt"), int)
    return code if has_ended and isinstance(code, int) and code >= 0 else None


def _with_code(text: str, code: int) -> str:
    return f"{text}Command failed with exit code: {code}." if code else text or "Command executed successfully."


def _as_written(call: EvidenceQuery, task: str, output: bytes, code: int) -> str:
    """Return an output as Kimi Code gives it to the model. The path of the file is left out: it may be another here."""
    text = _with_code(output.decode("utf-8", "replace"), code)
    size = len(text)
    if size <= _MOST:
        return text
    succeeded = "" if code else "Command executed successfully.\n"
    return (
        f"Tool output exceeded {_MOST} characters; the full output was saved to a file.\n"
        f"tool_name: {call.name}\ntool_call_id: {call.id}\noutput_size_chars: {size}\n\n"
        f"[preview: chars [0, {_HEAD})]\n{text[:_HEAD]}\n\n[elided: chars [{_HEAD}, {size - _TAIL})]\n\n"
        f"[preview: chars [{size - _TAIL}, {size})]\n{text[-_TAIL:]}\n\n{succeeded}"
        f"task_id: {task}\noutput_size_bytes: {len(output)}\n"
        f'next_step: Use TaskOutput(task_id="{task}") to query the task output.'
    )
