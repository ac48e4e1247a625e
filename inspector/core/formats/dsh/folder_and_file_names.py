"""The names of the folders and files of DeepSeek Harness.

Facts: deepseek-ai/deepseek-harness 0.1.1-rc.2, `session-persistence-jsonl/src/format.ts` (`encodeSegment`,
`projectKey`). Of several generations of a log in a folder, the newest counts (kenn-io/agentsview#1792).
"""

import re
from collections.abc import Iterable
from pathlib import Path

from inspector.core.formats.base.session_stores import entries_in

ZSTD_SUFFIX = ".zstd"
LOG_NAME = re.compile(r"session(?:\.v(\d{1,9}))?\.jsonl(?:\.zstd)?")
_NO_FOLDER = "_no-cwd"
_UNSAFE, _SEPARATORS = re.compile(r"[^A-Za-z0-9._-]"), re.compile(r"[/\\:]+")
_LONGEST_NAME = 251


def project_folder_name(folder: str) -> str:
    """Return the name of the folder with the sessions of a project."""
    if not folder:
        return _NO_FOLDER
    readable = _escaped(_SEPARATORS.sub("-", folder)).lstrip("-") or "root"
    return f"--{readable[:_LONGEST_NAME]}--"


def session_folder_name(session_id: str) -> str:
    """Return the name of the folder of a session."""
    return {".": "~002E", "..": "~002E~002E"}.get(session_id) or _escaped(session_id)


def _escaped(text: str) -> str:
    return _UNSAFE.sub(lambda match: "".join(f"~{unit:04X}" for unit in _utf16_units(match[0])), text)


def _utf16_units(char: str) -> Iterable[int]:
    units = char.encode("utf-16-le", "surrogatepass")
    return (int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2))


def store_is_compressed(store: Path) -> bool | None:
    """Return whether the logs in a store are compressed, None if it has no logs."""
    names = {path.name for path in store.glob("*/*/session*") if LOG_NAME.fullmatch(path.name)}
    return any(name.endswith(ZSTD_SUFFIX) for name in names) if names else None


def newest_log(name: str, folder: str | Path) -> str:
    """Return the log of the newest generation in the folder of a session, `name` if there is none."""
    names = {entry.name for entry in entries_in(folder)} if LOG_NAME.fullmatch(name) else set[str]()
    logs = [(int(match[1] or 0), each) for each in names if (match := LOG_NAME.fullmatch(each))]
    return max(logs, default=(0, name))[1]
