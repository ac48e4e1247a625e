"""Whether other rollouts build on this one: their first line names it, and counts its lines.

A fork names its parent by `forked_from_id`; a fork of a paginated thread begins at an ordinal of the rollout that its
`history_base` names (openai/codex, codex-rs/rollout/src/rollout_reference_index.rs, rust-v0.153.4).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from inspector.core.containers.zstd import ZSTD_SUFFIX, decompress_head
from inspector.core.errors import UnreadableLog

_LOOK = 64 * 1024
_DAYS = ("sessions", "archived_sessions")


def built_on(path: str, thread: str) -> str:
    """The name of a rollout that builds on the one at `path`, "" when none is found. First lines alone are read."""
    if not thread:
        return ""
    token = re.escape(thread.encode())
    names = re.compile(rb'"forked_from_id"\s*:\s*"' + token + rb'"|"history_base"\s*:\s*\{[^{}]*"' + token + rb'"')
    own = Path(path)
    for other in _later_rollouts(own):
        if names.search(_first_line(other)):
            return other.name
    return ""


def _first_line(rollout: Path) -> bytes:
    """What the first line of a rollout begins with, b"" when it cannot be read."""
    try:
        if rollout.suffix == ZSTD_SUFFIX:
            with decompress_head(str(rollout), _LOOK) as source:
                return source.read(0, _LOOK).partition(b"\n")[0]
        with rollout.open("rb") as file:
            return file.readline(_LOOK)
    except (OSError, UnreadableLog):
        return b""


def _later_rollouts(own: Path) -> Iterator[Path]:
    """The rollouts of the same store that were begun after this one: a fork is younger than what it copies."""
    parents = own.absolute().parents
    at_home = len(parents) > 3 and parents[3].name in _DAYS
    pattern = "*/*/*/rollout-*.jsonl*" if at_home else "rollout-*.jsonl*"
    folder = parents[3] if at_home else parents[0]
    for other in sorted(folder.glob(pattern)):
        if other.name > own.name and other.suffix in (".jsonl", ZSTD_SUFFIX):
            yield other
