"""Save a log of many files or rows: find the members that a plan changes, and write them.

The changed members are written in a copy of the folder or database, or in place.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
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
from inspector.core.formats.base.format import Format, MultiFileFormat
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
from inspector.core.save.backup import BACKUP_SUFFIX, FolderBackupJournal, restore_command
from inspector.core.save.file_metadata import MetadataSource
from inspector.core.storage.folder import ArchivedFolder, FolderContainer
from inspector.core.storage.json_spans import PointerNotFound, TruncatedJson
from inspector.core.storage.json_text import parse_json, replace_lone_surrogates
from inspector.core.storage.log_layout import MemberChanges, MemberContainer
from inspector.core.storage.source import file_stamp_if_present
from inspector.core.storage.sqlite import DatabaseContainer
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr


def member_changes(plan: Plan, source: AssembledSource) -> MemberChanges:
    """Return the changes that a plan makes to the members.

    Raises ReadOnlyFormat when it would add members where none can be added.
    """
    log, edits, format = plan.draft.log, plan.draft.record_edits(), plan.draft.format
    assert isinstance(format, MultiFileFormat), "only a format that gathers a log has one that is assembled"
    starts, ends = log.columns.starts, log.columns.ends
    changes = MemberChanges()

    for record, texts in edits.inserted_after.items():
        changes.added_after[_neighbour(source, format, starts[record], ends[record])] = texts
    for number, texts in edits.inserted_before.items():
        first = log.sequences[number].low
        changes.added_before[_neighbour(source, format, starts[first], ends[first])] = texts
    for record in edits.deleted:
        changes.members.update((member.name, None) for member in source.members_in(starts[record], ends[record]))
    for record, after in edits.replaced.items():
        try:
            changes.members |= _changed(source, starts[record], log.raw(record), after, format.part_spans(after))
        except (TruncatedJson, PointerNotFound) as error:
            raise NotVerified(
                tr("Message {record} has a structure that cannot be written ({error}).", record=record, error=error)
            ) from error
    return _named_by_content(source, format, changes) if format.members_are_numbered else changes


def _named_by_content(source: AssembledSource, format: MultiFileFormat, changes: MemberChanges) -> MemberChanges:
    """Return the changes of a folder whose files are named by the numbers that they hold.

    New files get their names, and files with a new number are renamed. Raises NotVerified if two files would have one
    name.
    """
    old = {member.name: (member.start, member.end) for member in source.members}
    named: dict[str, bytes] = {}
    for name, after in changes.members.items():
        if after is not None:
            before = source.read(*old[name])
            is_renumbered = format.member_name(name, before) != format.member_name(name, after)
            _add_file(named, format.member_name(name, after) if is_renumbered else name, after)
    for added in (changes.added_before, changes.added_after):
        for neighbour, texts in added.items():
            for text in texts:
                _add_file(named, format.member_name(neighbour, text), text)
    if taken := next((name for name in named if name in old and name not in changes.members), None):
        raise _same_name_error(taken)
    return MemberChanges({**dict.fromkeys(changes.members), **named})


def _add_file(named: dict[str, bytes], name: str, text: bytes) -> None:
    if name in named:
        raise _same_name_error(name)
    named[name] = text


def _same_name_error(name: str) -> NotVerified:
    return NotVerified(
        tr(
            "Nothing was written, because two messages would be stored in {name}. Rename the files so that each has "
            "the number of its message.",
            name=name,
        )
    )


def _neighbour(source: AssembledSource, format: Format, start: int, end: int) -> str:
    """Return the member of a record next to which new members are put. Raises ReadOnlyFormat where that is impossible.

    New members are rows or numbered files, and each record is a row or file of its own.
    """
    members, container = source.members_in(start, end), source.container
    groups = container.groups if isinstance(container, DatabaseContainer) else {}
    is_numbered = isinstance(format, MultiFileFormat) and format.members_are_numbered
    if len(members) != 1 or not (is_numbered or members[0].name.partition(":")[0] in groups):
        raise ReadOnlyFormat(
            tr(
                "This repair adds or moves whole messages, which is not supported in a {label} store. Export "
                "the session, and repair the export.",
                label=format.label,
            )
        )
    return members[0].name


def _changed(
    source: AssembledSource, start: int, before: bytes, after: bytes, new: list[tuple[int, int]]
) -> dict[str, bytes | None]:
    """Return the changed members of one record. `new` are their spans in `after`, in the same order."""
    changes: dict[str, bytes | None] = {}
    members = source.members_in(start, start + len(before))
    texts = [before[member.start - start : member.end - start] for member in members]
    # Whitespace around the JSON of a file is no part of it, and stays.
    stripped = [text.strip() for text in texts]
    new_texts = _new_texts(stripped, [after[slice(*span)] for span in new])
    for member, text, old_text, new_text in zip(members, texts, stripped, new_texts, strict=True):
        if new_text is None:
            changes[member.name] = None
        elif new_text != old_text:
            if old_text[: member.given] != new_text[: member.given]:
                raise NotVerified(
                    tr("Nothing was written, because the ids in {name} must not be changed.", name=member.name)
                )
            changes[member.name] = member.stored_bytes(text.replace(old_text, new_text, 1))
    return changes


def _new_texts(old: list[bytes], new: list[bytes]) -> list[bytes | None]:
    """Return the new text of each member, None for those that are removed.

    A plan changes some members, or removes some. A member with an id is matched by its id.
    """
    if len(old) == len(new):
        return list(new)
    rest = list(reversed(new))
    matched = [rest.pop() if rest and _key(rest[-1]) == _key(text) else None for text in old]
    if rest:
        raise NotVerified(
            tr(
                "Nothing was written, because a message contains parts of another message. Please report this "
                "error, and include the log if you can."
            )
        )
    return matched


def _key(text: bytes) -> Any:
    """Return what a member is matched by: its id as a repair of damaged characters leaves it, else all of it."""
    value = parse_json(replace_lone_surrogates(text))
    return value.get("id", text) if isinstance(value, dict) else text


def write_container_copy(
    source: AssembledSource, target: Path, changes: MemberChanges, verify: Callable[[str], None]
) -> tuple[str, ...]:
    """Write a whole copy to a temporary place, verify it, and let it take the name of `target`.

    Returns sentences about what could not be kept. Raises InspectorError.
    """
    container = source.container
    refuse_special_file(target)
    if os.path.isdir(target) and any(target.iterdir()):
        raise CannotWrite(tr("The folder {target} is not empty. Choose another name.", target=target))
    warnings: tuple[str, ...] = ()
    with temporary_beside(target, is_folder=True) as folder:
        try:
            if isinstance(container, FolderContainer):
                part = folder
                copy_folder_with_changes(container, part, changes.members)
                if container.path.is_dir():
                    shutil.copymode(container.path, part)
            else:
                # In a folder of its own, as SQLite keeps files next to a database while it writes.
                part = folder / target.name
                warnings = database.copy_database_with_changes(_database(container), part, changes)
            verify(str(part))
            source.check_unchanged()
            os.replace(part, target)
        except OSError as error:
            raise CannotWrite.from_error(error, target) from error
    return (*warnings, *fsync_folder(target.absolute().parent))


def write_container_in_place(
    source: AssembledSource, changes: MemberChanges, verify: Callable[[str], None]
) -> tuple[Path, tuple[str, ...]]:
    """Change the members in place, after a backup. Returns the backup and sentences about what went wrong.

    The written members are read again. When they are not as planned, the backup is restored. The backup is removed only
    once every member is what it was. Raises InspectorError.
    """
    container = source.container
    source.check_unchanged()
    backup = _back_up(container, changes)
    try:
        warnings = apply_to_folder(container, backup, changes.members) if isinstance(container, FolderContainer) else ()
        if isinstance(container, DatabaseContainer):
            database.apply_to_database(container, backup, changes)
    except PartlyWritten:
        raise
    except InspectorError:
        _discard(backup)
        raise
    try:
        verify(source.path)
    except (InspectorError, OSError):
        if isinstance(container, FolderContainer):
            restore_members(container.path, backup, list(changes.members))
        else:
            database.restore_database(container.path, backup)
        _discard(backup)
        raise
    return backup, warnings


def _back_up(container: MemberContainer, changes: MemberChanges) -> Path:
    """Back up what will change. The backup takes its name only once it is whole. Raises CannotWrite."""
    if isinstance(container, FolderContainer):
        refuse_symlinks(container, changes.members)
        return back_up_members(container.path, list(changes.members))
    return database.back_up_database(container.path)


def _database(container: MemberContainer) -> DatabaseContainer:
    assert isinstance(container, DatabaseContainer)
    return container


def _discard(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def copy_folder_with_changes(folder: FolderContainer, target: Path, changes: dict[str, bytes | None]) -> None:
    """Copy the files of the log to `target`, an empty folder, with the changes made. Raises CannotWrite."""
    if isinstance(folder, ArchivedFolder):
        changes = {**folder.members, **changes}
    for name in folder.marker_folders:
        _make_folder(folder.path, target, name)
    for name in folder.names_to_copy():
        if name not in changes:
            _copy(folder.path, target, name)
    for name, after in changes.items():
        if after is not None:
            _make_folder(folder.path, target, name.rpartition("/")[0])
            write_atomically(target / name, [after], MetadataSource(folder.file_like(name)))


def refuse_symlinks(folder: FolderContainer, names: Iterable[str]) -> None:
    """Raise CannotWrite where a part of the log lies below a link.

    The file that a link points to is not part of the folder.
    """
    for name in names:
        parts = [folder.path / part for part in _parts(name)]
        link = next((part for part in parts if os.path.islink(part)), None)
        if link is not None:
            raise CannotWrite(
                tr("{link} is a symbolic link, and this program never writes to links. Save a copy instead.", link=link)
            )


def _parts(name: str) -> Iterator[str]:
    """Yield the path of each folder that leads to a member, then the member's own path."""
    pieces = name.split("/")
    yield from ("/".join(pieces[:end]) for end in range(1, len(pieces) + 1))


def back_up_members(store: Path, names: list[str]) -> Path:
    """Copy the named files that exist to a backup next to their folder, and return its path. Raises CannotWrite."""
    with temporary_beside(store, is_folder=True) as part:
        added = tuple(name for name in names if not os.path.lexists(store / name))
        for name in names:
            if (store / name).is_file():
                _copy(store, part, name)
        FolderBackupJournal(str(store.absolute()), tuple(names), added).write(part)
        try:
            shutil.copymode(store, part)
            return rename_to_free_name(part, store, BACKUP_SUFFIX)
        except OSError as error:
            raise CannotWrite.from_error(error, f"{store}{BACKUP_SUFFIX}") from error


def apply_to_folder(folder: FolderContainer, backup: Path, changes: dict[str, bytes | None]) -> tuple[str, ...]:
    """Change the files in place, after all new bytes are on the disk.

    When a file cannot be changed, those changed before it are restored from the backup, which needs no room on the
    disk. Returns sentences about metadata that could not be kept. Raises CannotWrite, ChangedMeanwhile.
    """
    texts = {name: after for name, after in changes.items() if after is not None}
    with stage_files(folder.path, texts, folder.file_like) as (parts, warnings):
        done: list[str] = []
        try:
            for name in changes:
                place = folder.path / name
                if file_stamp_if_present(place) != folder.stamps.get(str(place)):
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
        warnings += fsync_folder(place)
    return tuple(warnings)


def restore_members(store: Path, backup: Path, names: list[str]) -> None:
    """Restore files by moving them out of the backup, and remove those that did not exist.

    Raises PartlyWritten, with the command that continues, when a file could not be restored. The backup still holds
    that file.
    """
    failed: OSError | None = None
    added = FolderBackupJournal.read(backup).added
    for name in reversed(names):
        try:
            if name in added:
                (store / name).unlink(missing_ok=True)
            elif (backup / name).exists() and not _is_alike(backup / name, store / name):
                os.replace(backup / name, store / name)
        except OSError as error:
            failed = error
    if failed is not None:
        raise PartlyWritten(
            tr(
                "{store} could not be restored: {strerror}. Only some of its files were changed, and {backup} "
                "contains the originals. When the disk has enough space, run: {restore_command}",
                store=store,
                strerror=failed.strerror or failed,
                backup=backup,
                restore_command=restore_command(backup),
            )
        ) from failed


def _is_alike(path: Path, other_path: Path) -> bool:
    return other_path.is_file() and path.read_bytes() == other_path.read_bytes()


def _make_folder(store: Path, copy: Path, name: str) -> None:
    """Make the folder `name` and its parents in a copy of the store, with the modes of the originals.

    Raises CannotWrite.
    """
    for part in _parts(name) if name else ():
        try:
            if not (copy / part).is_dir():
                (copy / part).mkdir(mode=0o700)
                if (store / part).is_dir():
                    shutil.copymode(store / part, copy / part)
        except OSError as error:
            raise CannotWrite(
                tr("{copy} could not be created: {strerror}.", copy=copy / part, strerror=error.strerror or error)
            ) from error


def _copy(store: Path, copy: Path, name: str) -> None:
    """Copy one file of the store, and flush the copy to disk. Raises CannotWrite."""
    _make_folder(store, copy, name.rpartition("/")[0])
    source, target = store / name, copy / name
    try:
        shutil.copy2(source, target, follow_symlinks=False)
        with suppress(OSError), target.open("rb") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise CannotWrite(
            tr(
                "{source} could not be copied to {target}: {strerror}.",
                source=source,
                target=target,
                strerror=error.strerror or error,
            )
        ) from error
