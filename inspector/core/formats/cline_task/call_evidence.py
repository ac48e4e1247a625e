"""The evidence for a call without a result in the window's log next to a task: `ui_messages.json`.

Facts: cline/cline src/shared/ExtensionMessage.ts (ClineAsk, ClineSay, ClineSayTool), src/core/task/tools; Roo Code
packages/types/src/message.ts. A message names no call: it is bound by its words, the command line or the path, and to
the newest call with them alone. `ask` is written before the person allows a call, `say` when it was allowed unasked or
has something to tell.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.formats.cline_task.loader import LOG_NAMES, UI_FILE
from inspector.core.model.session import Log
from inspector.core.model.views import one_based
from inspector.core.storage.json_text import dump_json, objects_at, parse_json, text_at
from inspector.core.translation import tr

_LARGEST_FILE = 64 * 1024 * 1024
_COMMAND, _OUTPUTS = "command", frozenset({"command_output"})
_MOST_COMMANDS = 50
_BY_COMMAND = tr("the output was found only by its command line and may be incomplete")
LOST_RESULT_PLACES = tr("in `{ui_file}`, as the output of the command that the call ran", ui_file=UI_FILE)


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
        elif kind == _COMMAND:
            running = text.strip()
            yield at, message, running
        elif kind == "tool":
            running = ""
            if path := _path_in(text):
                yield at, message, path


def lost_results_beside(log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield what the window showed of the output of commands; see `LostResultSource.lost_results_beside`.

    Only a command that the log names once and that the window showed once can be matched at all.
    """
    folder = os.path.dirname(log.source.path)
    if os.path.islink(os.path.join(folder, UI_FILE)):
        return
    shown = list(_relevant_messages(log.source.path)) if calls else []
    started = Counter(words for _, message, words in shown if _kind(message) == _COMMAND)
    commands = {call.id: text_at(call.input, "/command").strip() for call in calls.values()}
    wanted = {words for words in commands.values() if started[words] == 1}
    once = _named_once(log, wanted) if len(wanted) <= _MOST_COMMANDS else set()
    outputs: dict[str, list[tuple[int, str]]] = {}
    for at, message, words in shown:
        if words in once and _kind(message) in _OUTPUTS:
            outputs.setdefault(words, []).append((at, message["text"]))
    for call_id, words in commands.items():
        if texts := outputs.get(words):
            origin = tr("record {texts}, command_output", texts=one_based(texts[0][0]))
            yield LostResult(call_id, "\n".join(text for _, text in texts), origin, doubt=_BY_COMMAND, path=UI_FILE)


def _named_once(log: Log, commands: set[str]) -> set[str]:
    """Return the commands that stand once in the whole log: no other call has one of them."""
    counts: Counter[str] = Counter()
    needles = {words: dump_json(words)[1:-1] for words in commands}
    for record in range(len(log.columns)):
        for words, needle in [*needles.items()]:
            counts[words] += log.raw(record).count(needle)
            if counts[words] > 1:
                del needles[words]
    return {words for words in needles if counts[words]}


def _evidence_item(at: int, message: dict[str, Any]) -> EvidenceItem:
    where = tr("{ui_file}, record {at}", ui_file=UI_FILE, at=one_based(at))
    kind = _kind(message)
    if kind in _OUTPUTS:
        return EvidenceItem(
            EvidenceStrength.STARTED,
            tr("The agent's window displayed the output of the command ({where}).", where=where),
        )
    if message.get("type") == "say":
        return EvidenceItem(
            EvidenceStrength.STARTED,
            tr("The agent's window reported that the call was executed ({where}: {kind}).", where=where, kind=kind),
        )
    return EvidenceItem(
        EvidenceStrength.MENTIONED,
        tr("The user was asked about the call ({where}: {kind}).", where=where, kind=kind),
    )


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
