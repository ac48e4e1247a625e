"""The files of subagents next to a session, and the calls that started them.

`<session>/subagents/**/agent-<id>.jsonl` with `agent-<id>.meta.json` since 2.1; in the 2.0 era `agent-<id>.jsonl` lay
next to the session. The meta file's `toolUseId`, else `toolUseResult.agentId` of the call's result, else the prompt
identifies the call (claude-agent-sdk-python, `_internal/sessions.py`, `_collect_agent_files`). In a store of the Agent
SDK, a subagent is a folder `<session>/subagents/agent-<id>` of parts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from inspector.core.formats.base.stores import read_json_object
from inspector.core.lazy import lazy_regex
from inspector.core.model.session import Log, SubagentLogReference
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import message_text
from inspector.core.storage.json_text import objects_at, parse_json, text_at, value_at
from inspector.core.storage.session_parts import is_parts_folder, part_names
from inspector.core.translation import tr

_STARTERS = frozenset({"Task", "Agent"})
_HEAD = 256 * 1024
_NAME = lazy_regex(r"agent-(.+)\.jsonl$")
_FOLDER_NAME = lazy_regex(r"agent-(.+)$")


class _Started:
    """The subagents that the session's own log says were started."""

    def __init__(self, log: Log) -> None:
        columns = log.columns
        self.of_agent: dict[str, str] = {}
        self.of_prompt: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        for row, name in enumerate(columns.names):
            if name in _STARTERS and columns.block_kinds[row] == BlockKind.CALL:
                self._note_call(log, columns.record_of_block(row), columns.call_ids[row] or "")
        for row, call_id in enumerate(columns.call_ids):
            if call_id in self.labels and columns.block_kinds[row] == BlockKind.RESULT:
                agent = text_at(parse_json(log.raw(columns.record_of_block(row))), "/toolUseResult/agentId")
                if agent:
                    self.of_agent[agent] = call_id

    def _note_call(self, log: Log, record: int, call_id: str) -> None:
        for block in objects_at(parse_json(log.raw(record)), "/message/content"):
            given = block.get("input")
            if block.get("id") == call_id and isinstance(given, dict):
                words = [str(given[key]) for key in ("subagent_type", "description") if given.get(key)]
                self.labels[call_id] = ": ".join(words)
                if isinstance(given.get("prompt"), str):
                    self.of_prompt[given["prompt"]] = call_id


def subagents(log: Log, session_id: str) -> list[SubagentLogReference]:
    """Return the subagents of the session at `log.source.path`, in the order of their names."""
    files = list(_files(log.source.path, session_id)) if log.source.path != "-" else []
    if not files:
        return []
    started = _Started(log)
    agents = []
    for file in files:
        agent = _NAME.search(file.name) or _FOLDER_NAME.search(file.name)
        call_id = _said_beside(file) or started.of_agent.get(agent[1] if agent else "")
        call_id = call_id or started.of_prompt.get(_prompt(file), "")
        label = started.labels.get(call_id, "")
        agents.append(SubagentLogReference(str(file), tr("Subagent {label}", label=label).strip(), call_id))
    return agents


def _files(path: str, session_id: str) -> Iterator[Path]:
    own, beside = os.path.join(os.path.splitext(path)[0], "subagents"), os.path.dirname(path) or os.curdir
    if os.path.isdir(own):
        yield from sorted(Path(own).rglob("agent-*.jsonl"))
        yield from sorted(
            path for path in Path(own).rglob("agent-*") if is_parts_folder(path) and not path.is_symlink()
        )
    if _NAME.search(os.path.basename(path)) is None and os.path.isdir(beside):
        for file, session in _agents_in(beside, os.stat(beside).st_mtime_ns):
            if (session or _session_of(file)) == session_id:
                yield file


@lru_cache(maxsize=1)
def _agents_in(folder: str, changed: int) -> list[tuple[Path, str]]:
    """Return the files of subagents in a folder, with the sessions that they name, cached for all logs there.

    `changed` is the modification time of the folder.
    """
    try:
        names = sorted(name for name in os.listdir(folder) if name.startswith("agent-") and name.endswith(".jsonl"))
    except PermissionError:
        return []
    return [(file, _session_of(file)) for file in (Path(folder, name) for name in names)]


def _session_of(file: Path) -> str:
    """Return the session that a subagent belongs to, "" while its file does not say."""
    return str(_first_line(file).get("sessionId") or "")


def _first_line(file: Path) -> dict[str, Any]:
    names = part_names(file) if file.is_dir() else []
    try:
        with (file / names[0] if names else file).open("rb") as opened:
            value = parse_json(opened.readline(_HEAD))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _said_beside(file: Path) -> str:
    """Return `toolUseId` of the meta file, "" when it has none."""
    return text_at(read_json_object(file.with_suffix(".meta.json")), "/toolUseId")


def _prompt(file: Path) -> str:
    return message_text(value_at(_first_line(file), "/message/content"))
