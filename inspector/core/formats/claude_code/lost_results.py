"""The results that Claude Code keeps in files of the session, where the result of the call is missing.

Facts: seen in 2.1.112 and 2.1.330: the log of a subagent ends in its report, a text of the assistant without a call.
2.1.330 says in `agent-<id>.meta.json` which call started it (`toolUseId`), and that it `finished`; the older one names
the call by its prompt alone. A large output lies in `tool-results` under a name that does not say whose it is.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.lost_results import LostResult, SessionFolder
from inspector.core.model.session import Log, SubagentLogReference
from inspector.core.providers.message_fields import message_text
from inspector.core.storage.json_text import objects_at, parse_json, value_at
from inspector.core.storage.session_parts import part_names
from inspector.core.translation import tr

PLACES = tr(
    "in a subagent's log under `<session>/subagents`, where the last text is the subagent's report. "
    "Large outputs are in `<session>/tool-results`, in files whose names do not show which calls "
    "they belong to"
)
_LAST_ANSWER = tr("the call received the subagent's last text in a different form")


def subagent_reports_beside(
    log: Log, calls: Mapping[str, EvidenceQuery], subagents: Iterable[SubagentLogReference]
) -> Iterator[LostResult]:
    """Yield the reports of subagents that have ended; see `LostResultSource.lost_results_beside`."""
    root = os.path.splitext(log.source.path)[0]
    folder = SessionFolder(root)
    for subagent in subagents:
        place = PurePath(subagent.path)
        if subagent.call_id not in calls or not place.is_relative_to(root):
            continue
        parts = place.relative_to(root).parts
        info = folder.read_json(*parts[:-1], f"{place.stem}.meta.json")
        parts += tuple(part_names(subagent.path)[-1:])
        report = _report(folder.read(*parts)) if info.get("finished", True) is True else ""
        if report:
            name = "/".join((os.path.basename(root), *parts))
            yield LostResult(subagent.call_id, report, tr("the subagent's log"), doubt=_LAST_ANSWER, path=name)


def _report(log: bytes | None) -> str:
    """Return the text of the last message of a subagent, "" where that is not the end of its work."""
    last: Any = None
    for line in reversed((log or b"").splitlines()):
        try:
            row = parse_json(line)
        except ValueError:
            return ""  # The agent may have been at work.
        if value_at(row, "/type") in ("user", "assistant"):
            last = row
            break
    content = value_at(last, "/message/content")
    if value_at(last, "/type") != "assistant" or value_at(last, "/message/stop_reason") != "end_turn":
        return ""
    is_text = all(block.get("type") == "text" for block in objects_at(content, ""))
    return message_text(content) if is_text else ""
