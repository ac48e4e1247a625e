"""Saving a log of many files or rows: which of them a plan changes, and where they are written."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.core.bytes.json_text import parse_json
from inspector.core.bytes.members import MemberChanges, MemberContainer
from inspector.core.bytes.spans import PointerNotFound, TruncatedJson
from inspector.core.bytes.temporary import AssembledSource
from inspector.core.containers.folder import FolderContainer
from inspector.core.containers.sqlite import DatabaseContainer
from inspector.core.errors import CannotWrite, InspectorError, NotVerified, PartlyWritten, ReadOnlyFormat
from inspector.core.formats.bases.gathering import Gathering
from inspector.core.repair.plan import Plan
from inspector.core.save import database, folder
from inspector.core.save.atomic import fsync_folder, refuse_special_file, temporary_beside


def member_changes(plan: Plan, source: AssembledSource) -> MemberChanges:
    """What a plan does to the members. Raises ReadOnlyFormat when it would need new ones."""
    log, edits, format = plan.draft.log, plan.draft.record_edits(), plan.draft.format
    if edits.inserted_after or edits.inserted_before:
        raise ReadOnlyFormat(
            f"This repair adds or moves whole messages, which is not done in a store of {format.label}s: "
            "export the session, and repair the export."
        )
    assert isinstance(format, Gathering), "only a format that gathers a log has one that is assembled"
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
                folder.copy_folder(keeper, part, changes)
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
        told = folder.apply_to_folder(keeper, kept, changes) if isinstance(keeper, FolderContainer) else ()
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
            folder.restore_members(keeper.path, kept, list(changes))
        else:
            database.restore_database(keeper.path, kept)
        _discard(kept)
        raise
    return kept, told


def _back_up(keeper: MemberContainer, changes: MemberChanges) -> Path:
    """Keep what will change. The backup has its name only once it is whole. Raises CannotWrite."""
    if isinstance(keeper, FolderContainer):
        folder.refuse_links(keeper, changes)
        return folder.back_up_changed_files(keeper, changes)
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
