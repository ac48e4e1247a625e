"""The evidence for a call without a result in the window's log next to a task: `ui_messages.json`.

Facts: cline/cline src/shared/ExtensionMessage.ts (ClineAsk, ClineSay, ClineSayTool), src/core/task/tools; Roo Code
packages/types/src/message.ts. A message names no call: it is bound by its words, the command line or the path, and to
the newest call with them alone. `ask` is written before the person allows a call, `say` when it was allowed unasked or
has something to tell.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.cline_task.loader import LOG_NAMES, UI_FILE
from inspector.core.model.views import one_based
from inspector.core.storage.json_text import objects_at, parse_json, text_at

_LARGEST_FILE = 64 * 1024 * 1024
_OUTPUTS = frozenset({"command_output"})


def evidence_beside(log_path: str, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
    """Yield the evidence in the window's log; see `CallEvidenceSource.evidence_beside`."""
    newest: dict[str, int] = {}
    for number, call in enumerate(calls):
        for words in _words_of(call.input):
            newest[words] = number
    for at, message, words in _relevant_messages(log_path) if newest else ():
        if words in newest:
            yield newest[words], _evidence_item(at, message)


def _relevant_messages(log_path: str) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Yield the window's messages about a command or a file, by number, with its words.

    The output of a command follows the command, so it has the words of that command.
    """
    running = ""
    for at, message in enumerate(_messages(log_path)):
        kind, text = _kind(message), message.get("text")
        if not isinstance(text, str):
            continue
        if kind in _OUTPUTS:
            if running and text.strip():
                yield at, message, running
        elif kind == "command":
            running = text.strip()
            yield at, message, running
        elif kind == "tool":
            running = ""
            if path := _path_in(text):
                yield at, message, path


def _evidence_item(at: int, message: dict[str, Any]) -> EvidenceItem:
    where = f"{UI_FILE}, record {one_based(at)}"
    kind = _kind(message)
    if kind in _OUTPUTS:
        return EvidenceItem(EvidenceStrength.STARTED, f"The window showed its command's output ({where}).")
    if message.get("type") == "say":
        return EvidenceItem(EvidenceStrength.STARTED, f"The window told that it was carried out ({where}: {kind}).")
    return EvidenceItem(EvidenceStrength.MENTIONED, f"The window asked the person for it ({where}: {kind}).")


def _kind(message: dict[str, Any]) -> str:
    kind = message.get(str(message.get("type")))
    return kind if isinstance(kind, str) else ""


def _words_of(given: Any) -> Iterator[str]:
    if isinstance(given, dict):
        for key in ("command", "path"):
            if isinstance(given.get(key), str) and given[key].strip():
                yield given[key].strip()


def _path_in(text: str) -> str:
    try:
        return text_at(parse_json(text.encode("utf-8", "replace")), "/path").strip()
    except ValueError:
        return ""


def _messages(log_path: str) -> list[dict[str, Any]]:
    place = Path(log_path)
    file = place.parent / UI_FILE
    try:
        if place.name not in LOG_NAMES or file.stat().st_size > _LARGEST_FILE:
            return []
        found = parse_json(file.read_bytes())
    except (OSError, ValueError):
        return []
    return objects_at(found, "")
