"""Saving a log of many files or rows: which of them a plan changes, and where they are written.

Merged; to be rewritten:
`folder`: Changed files of a folder: in a copy of it, or where they are.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.core.errors import (
    CannotWrite,
    ChangedMeanwhile,
    InspectorError,
    NotVerified,
    PartlyWritten,
    ReadOnlyFormat,
)
from inspector.core.formats.base.format import MultiFileFormat
from inspector.core.repair.plan import Plan
from inspector.core.save import database
from inspector.core.save.atomic import (
    fsync_folder,
    refuse_special_file,
    rename_to_free_name,
    stage_files,
    temporary_beside,
    write_atomically,
)
from inspector.core.save.backup import BACKUP_SUFFIX, Journal, restore_command
from inspector.core.save.file_metadata import MetadataSource
from inspector.core.storage.folder import ArchivedFolder, FolderContainer
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson
from inspector.core.storage.json_text import parse_json
from inspector.core.storage.source import file_stamp_if_present
from inspector.core.storage.splices import MemberChanges, MemberContainer
from inspector.core.storage.sqlite import DatabaseContainer
from inspector.core.storage.temporary import AssembledSource


def member_changes(plan: Plan, source: AssembledSource) -> MemberChanges:
    """What a plan does to the members. Raises ReadOnlyFormat when it would need new ones."""
    log, edits, format = plan.draft.log, plan.draft.record_edits(), plan.draft.format
    if edits.inserted_after or edits.inserted_before:
        raise ReadOnlyFormat(
            f"This repair adds or moves whole messages, which is not done in a store of {format.label}s: "
            "export the session, and repair the export."
        )
    assert isinstance(format, MultiFileFormat), "only a format that gathers a log has one that is assembled"
    starts, ends = log.columns.starts, log.columns.ends
    found: MemberChanges = {}
    for record in edits.deleted:
        found |= {member.name: None for member in source.members_in(starts[record], ends[record])}
    for record, after in edits.replaced.items():
        try:
            found |= _changed(source, starts[record], log.raw(record), after, format.part_spans(after))
        except (TruncatedJson, PointerNotFound) as error:
            raise NotVerified(f"Message {record} has a shape that is not written back ({error}).") from error
    return found


def _changed(
    source: AssembledSource, start: int, before: bytes, after: bytes, new: list[tuple[int, int]]
) -> MemberChanges:
    """The members of one record that are other than they were; `new` are their spans in `after`, in the same order."""
    found: MemberChanges = {}
    old = source.members_in(start, start + len(before))
    texts = [before[member.start - start : member.end - start] for member in old]
    # What is white around the JSON of a file is no part of it, and stays.
    bare = [text.strip() for text in texts]
    followers = _new_texts(bare, [after[slice(*span)] for span in new])
    for member, text, was, follower in zip(old, texts, bare, followers, strict=True):
        if follower is None:
            found[member.name] = None
        elif follower != was:
            if was[: member.given] != follower[: member.given]:
                raise NotVerified(f"The ids of {member.name} may not change, so nothing was written.")
            found[member.name] = member.stored_bytes(text.replace(was, follower, 1))
    return found


def _new_texts(old: list[bytes], new: list[bytes]) -> list[bytes | None]:
    """What became of each text: some are changed, or some are gone. Those with an id are known by it."""
    if len(old) == len(new):
        return list(new)
    rest = list(reversed(new))
    found = [rest.pop() if rest and _key(rest[-1]) == _key(text) else None for text in old]
    if rest:
        raise NotVerified("A message has parts that were not in it, so nothing was written. Please report this log.")
    return found


def _key(text: bytes) -> Any:
    value = parse_json(text)
    return value.get("id", text) if isinstance(value, dict) else text


def write_store_copy(
    source: AssembledSource, target: Path, changes: MemberChanges, judge: Callable[[str], None]
) -> tuple[str, ...]:
    """Write a whole copy to `target`, read it again, and only then give it the name; what is to be told of it.

    Raises InspectorError.
    """
    keeper = source.container
    refuse_special_file(target)
    if os.path.isdir(target) and any(target.iterdir()):
        raise CannotWrite(f"{target} is a folder with files in it: choose a name that is free.")
    told: tuple[str, ...] = ()
    with temporary_beside(target, is_folder=True) as spare:
        try:
            if isinstance(keeper, FolderContainer):
                part = spare
                copy_folder(keeper, part, changes)
                if keeper.path.is_dir():
                    shutil.copymode(keeper.path, part)
            else:
                # In a folder of its own, as SQLite keeps files beside it while it is written.
                part = spare / target.name
                told = database.copy_database(_database(keeper), part, changes)
            judge(str(part))
            source.check_unchanged()
            os.replace(part, target)
        except OSError as error:
            raise CannotWrite.from_error(error, target) from error
    return (*told, *fsync_folder(target.absolute().parent))


def write_store_in_place(
    source: AssembledSource, changes: MemberChanges, judge: Callable[[str], None]
) -> tuple[Path, tuple[str, ...]]:
    """Change the members where they lie, after a backup; the backup, and what is to be told. Raises InspectorError.

    What was written is read again; when it is not as planned, the backup is put back. The backup goes only once every
    member is what it was.
    """
    keeper = source.container
    source.check_unchanged()
    kept = _back_up(keeper, changes)
    try:
        told = apply_to_folder(keeper, kept, changes) if isinstance(keeper, FolderContainer) else ()
        if isinstance(keeper, DatabaseContainer):
            database.apply_to_database(keeper, kept, changes)
    except PartlyWritten:
        raise
    except InspectorError:
        _discard(kept)
        raise
    try:
        judge(source.path)
    except (InspectorError, OSError):
        if isinstance(keeper, FolderContainer):
            restore_members(keeper.path, kept, list(changes))
        else:
            database.restore_database(keeper.path, kept)
        _discard(kept)
        raise
    return kept, told


def _back_up(keeper: MemberContainer, changes: MemberChanges) -> Path:
    """Keep what will change. The backup has its name only once it is whole. Raises CannotWrite."""
    if isinstance(keeper, FolderContainer):
        refuse_links(keeper, changes)
        return back_up_changed_files(keeper, changes)
    return database.back_up_database(keeper.path)


def _database(keeper: MemberContainer) -> DatabaseContainer:
    assert isinstance(keeper, DatabaseContainer)
    return keeper


def _discard(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


# Changed files of a folder: in a copy of it, or where they are.


def copy_folder(folder: FolderContainer, target: Path, changes: MemberChanges) -> None:
    """The files of the log below `target`, an empty folder, with the changes made. Raises CannotWrite."""
    if isinstance(folder, ArchivedFolder):
        changes = {**folder.members, **changes}
    for name in folder.marker_folders:
        _make_folder(folder.path, target, name)
    for name in folder.names_to_copy():
        if name not in changes:
            _copy(folder.path, target, name)
            continue
        after = changes[name]
        if after is not None:
            _make_folder(folder.path, target, name.rpartition("/")[0])
            write_atomically(target / name, [after], MetadataSource(folder.path_of(name)))


def refuse_links(folder: FolderContainer, changes: MemberChanges) -> None:
    """Raises CannotWrite where a part of the log lies behind a link: what it points to is no part of the folder."""
    for name in changes:
        parts = [folder.path / part for part in _parts(name)]
        linked = next((part for part in parts if os.path.islink(part)), None)
        if linked is not None:
            raise CannotWrite(f"{linked} is a link, and nothing is written through it: save a copy instead.")


def _parts(name: str) -> Iterator[str]:
    pieces = name.split("/")
    yield from ("/".join(pieces[:end]) for end in range(1, len(pieces) + 1))


def back_up_changed_files(folder: FolderContainer, changes: MemberChanges) -> Path:
    """The files that will change, as they are, with a journal of what is done to them, in a new folder: its path.

    Raises CannotWrite.
    """
    return back_up_members(folder.path, list(changes))


def back_up_members(store: Path, names: list[str]) -> Path:
    """Those of the named files that are there, in a backup beside their folder. Raises CannotWrite."""
    with temporary_beside(store, is_folder=True) as part:
        for name in names:
            if (store / name).is_file():
                _copy(store, part, name)
        Journal(str(store.absolute()), tuple(names)).write(part)
        try:
            shutil.copymode(store, part)
            return rename_to_free_name(part, store, BACKUP_SUFFIX)
        except OSError as error:
            raise CannotWrite.from_error(error, f"{store}{BACKUP_SUFFIX}") from error


def apply_to_folder(folder: FolderContainer, backup: Path, changes: MemberChanges) -> tuple[str, ...]:
    """Change the files where they lie. All new bytes are on the disk before the first file is touched.

    When one cannot be changed, those before it are put back out of the backup, which needs no room on the disk. What
    could not be kept of them is told. Raises CannotWrite, ChangedMeanwhile.
    """
    with stage_files(folder.path, {name: after for name, after in changes.items() if after is not None}) as (
        parts,
        told,
    ):
        done: list[str] = []
        try:
            for name in changes:
                place = folder.path / name
                if file_stamp_if_present(place) != folder.stamps[str(place)]:
                    raise ChangedMeanwhile.for_path(place)
                done.append(name)
                if name in parts:
                    os.replace(parts[name], place)
                else:
                    place.unlink()
        except (ChangedMeanwhile, OSError) as error:
            restore_members(folder.path, backup, done)
            if isinstance(error, OSError):
                raise CannotWrite.from_error(error, folder.path) from error
            raise
    for place in sorted({(folder.path / name).parent for name in changes}):
        told += fsync_folder(place)
    return tuple(told)


def restore_members(store: Path, backup: Path, names: list[str]) -> None:
    """Give files their old bytes again, by moving them out of the backup.

    Raises HalfDone, with how to go on, when one stays as it is: the backup then still holds it.
    """
    failed: OSError | None = None
    for name in reversed(names):
        try:
            if (backup / name).exists() and not _is_alike(backup / name, store / name):
                os.replace(backup / name, store / name)
        except OSError as error:
            failed = error
    if failed is not None:
        raise PartlyWritten(
            f"{store} could not be put back: {failed.strerror or failed}. Some of its files are changed and others are "
            f"not; {backup} holds the originals. When there is room on the disk, run: {restore_command(backup)}"
        ) from failed


def _is_alike(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _make_folder(store: Path, copy: Path, name: str) -> None:
    """The folder `name` in a copy of the store and those above it, as private as they are there. Raises CannotWrite."""
    for part in _parts(name) if name else ():
        try:
            if not (copy / part).is_dir():
                (copy / part).mkdir(mode=0o700)
                if (store / part).is_dir():
                    shutil.copymode(store / part, copy / part)
        except OSError as error:
            raise CannotWrite(f"{copy / part} could not be made: {error.strerror or error}.") from error


def _copy(store: Path, copy: Path, name: str) -> None:
    """Raises CannotWrite."""
    _make_folder(store, copy, name.rpartition("/")[0])
    source, target = store / name, copy / name
    try:
        shutil.copy2(source, target, follow_symlinks=False)
        with suppress(OSError), target.open("rb") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise CannotWrite(f"{source} could not be copied to {target}: {error.strerror or error}.") from error
