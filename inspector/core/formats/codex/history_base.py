"""The rollouts that a fork continues, which Codex reads before the fork itself.

A fork of a paginated thread holds only its own lines. The `history_base` of its first line names another rollout by its
thread id, and says up to which byte that one is read (`end_byte_offset`); the base of a fork may be a fork, too. Codex
0.169.0 was run on such pairs: it looks for the base by the name of the file anywhere below `sessions` and
`archived_sessions`, whatever its database says; it does not look at `forked_from_id` or at ordinals, and not at what
follows in the base. Without the base it does not load the fork ("invalid paginated history lineage for …: missing
source rollout"), nor when the base is shorter ("cutoff byte offset is past the source rollout"), does not start with
its metadata, or leads back to the fork ("cycle detected"). A fork of an older, unpaginated thread holds a copy of all
its lines, and names no base.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.format import IsCancelled
from inspector.core.model.session import UnreadableForkBase
from inspector.core.storage.json_lines import ZSTD_SUFFIX, decompress_to_temporary_file, is_zstd_file
from inspector.core.storage.json_text import object_at, parse_json, text_at, value_at
from inspector.core.storage.source import Source
from inspector.core.translation import tr

STORE_FOLDERS = ("sessions", "archived_sessions")
_THREAD_ID = re.compile(r"[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*")
_DEPTHS = ("", "*/", "*/*/", "*/*/*/")  # folders for year, month and day, as far as they are there
_FIRST_LINE = 1024 * 1024  # bytes: Codex writes its instructions into the first line


class HistoryBase(Struct, frozen=True):
    """What a fork continues: the bytes `0..end` of the rollout of a thread."""

    thread: str
    end: int


class BaseRollout(Struct, frozen=True):
    """A rollout that a fork continues, opened, and up to which byte it is read."""

    source: Source
    end: int


class HistoryBaseError(Exception):
    """A base cannot be read. `reason` says why, and what Codex does then."""

    def __init__(self, text: str, agent_error: str) -> None:
        super().__init__(text)
        self.reason = UnreadableForkBase(text, agent_error)


def history_base_in(metadata: dict[str, Any]) -> HistoryBase | None:
    """Return what a rollout with this metadata continues, None for one that holds its whole history."""
    base = object_at(metadata, "/history_base")
    thread, end = text_at(base, "/thread_id"), value_at(base, "/end_byte_offset")
    return HistoryBase(thread, end) if thread and isinstance(end, int) and end >= 0 else None


def open_bases(path: str, thread: str, base: HistoryBase, cancelled: IsCancelled | None) -> list[BaseRollout]:
    """Return the rollouts that the fork at `path`, of thread `thread`, continues, the oldest first.

    `path` is "" for a fork that is no file. Only files of the store are read in which the fork lies. The caller closes
    the sources. Raises HistoryBaseError, Cancelled.
    """
    store = store_of(path)
    found: list[BaseRollout] = []
    threads = {thread}
    wanted: HistoryBase | None = base
    try:
        while wanted is not None:
            if wanted.thread in threads:
                raise HistoryBaseError(
                    tr(
                        "This rollout is a fork, and the chain of rollouts that it continues contains {thread} twice.",
                        thread=wanted.thread,
                    ),
                    f"invalid paginated history lineage for {wanted.thread}: cycle detected",
                )
            threads.add(wanted.thread)
            source = _open_base(store, wanted, cancelled)
            found.append(BaseRollout(source, wanted.end))
            wanted = history_base_in(_metadata_at_start(source, wanted))
    except BaseException:
        for each in found:
            each.source.close()
        raise
    return found[::-1]


def store_of(path: str) -> Path | None:
    """Return the folder of a store that holds the rollout at `path`, None where it lies in none."""
    if not path:
        return None
    parents = Path(path).absolute().parents
    return next((folder.parent for folder in parents[:4] if folder.name in STORE_FOLDERS), None)


def _open_base(store: Path | None, base: HistoryBase, cancelled: IsCancelled | None) -> Source:
    if store is None:
        raise HistoryBaseError(
            tr(
                "This rollout is a fork of the rollout {thread}, which can be read only if the fork is in "
                "Codex's own folder. Only the fork's own records were checked.",
                thread=base.thread,
            ),
            "",
        )
    path = next(_rollouts_of(store, base.thread), None)
    if path is None:
        raise HistoryBaseError(
            tr(
                "This rollout is a fork of the rollout {thread}, which is not in {store}. Without that "
                "rollout, Codex does not load the fork.",
                thread=base.thread,
                store=store,
            ),
            f"invalid paginated history lineage for {base.thread}: missing source rollout",
        )
    try:
        source = decompress_to_temporary_file(str(path), cancelled) if is_zstd_file(path) else Source.open(str(path))
    except UnreadableLog as error:
        raise HistoryBaseError(
            tr("This rollout is a fork of {path}, which cannot be read: {error}", path=path, error=error),
            f"failed to read {path}",
        ) from error
    if source.size < base.end:
        source.close()
        raise HistoryBaseError(
            tr(
                "This rollout is a fork that continues the first {end:,} bytes of {path}, but that file has "
                "only {size:,} bytes. Codex does not load the fork.",
                end=base.end,
                path=path,
                size=source.size,
            ),
            f"{path}: cutoff byte offset is past the source rollout",
        )
    return source


def _rollouts_of(store: Path, thread: str) -> Iterator[Path]:
    """Yield the files of a thread, as they are named. A link out of the store is not followed."""
    if not _THREAD_ID.fullmatch(thread):
        return
    home = store.resolve()
    for folder in STORE_FOLDERS:
        for depth in _DEPTHS:
            for suffix in (".jsonl", f".jsonl{ZSTD_SUFFIX}"):
                for path in sorted((store / folder).glob(f"{depth}rollout-*-{thread}{suffix}")):
                    if path.is_file() and path.resolve().is_relative_to(home):
                        yield path


def _metadata_at_start(source: Source, base: HistoryBase) -> dict[str, Any]:
    line = source.read(0, min(base.end, _FIRST_LINE)).partition(b"\n")[0]
    try:
        value = parse_json(line) if line else None
    except ValueError:
        value = None
    if base.end and text_at(value, "/type") != "session_meta":
        raise HistoryBaseError(
            tr(
                "This rollout is a fork of {path}, but the first line of that file is not session metadata. "
                "Codex does not load the fork.",
                path=source.path,
            ),
            f"rollout at {source.path} does not start with session metadata",
        )
    return object_at(value, "/payload")
