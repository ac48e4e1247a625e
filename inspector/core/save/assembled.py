"""Saving a log of many files or rows: which of them a plan changes, and where they are written."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspector.core.bytes.json_text import value_of
from inspector.core.bytes.members import Changes, Keeper
from inspector.core.bytes.spans import CutShort, NothingThere
from inspector.core.bytes.temporary import Assembled
from inspector.core.containers.folder import Folder
from inspector.core.containers.sqlite import Database
from inspector.core.errors import CannotWrite, HalfDone, InspectorError, NotVerified, ReadOnlyFormat
from inspector.core.formats.bases.gathering import Gathering
from inspector.core.repair.plan import Plan
from inspector.core.save import database, folder
from inspector.core.save.atomic import flush_folder, refuse_special, temporary_beside


def changes_of(plan: Plan, source: Assembled) -> Changes:
    """What a plan does to the members. Raises ReadOnlyFormat when it would need new ones."""
    log, edits, format = plan.draft.log, plan.draft.record_edits(), plan.draft.format
    if edits.after or edits.before:
        raise ReadOnlyFormat(
            f"This repair adds or moves whole messages, which is not done in a store of {format.label}s: "
            "export the session, and repair the export."
        )
    assert isinstance(format, Gathering), "only a format that gathers a log has one that is assembled"
    starts, ends = log.columns.starts, log.columns.ends
    found: Changes = {}
    for record in edits.deleted:
        found |= {member.name: None for member in source.members_in(starts[record], ends[record])}
    for record, after in edits.replaced.items():
        try:
            found |= _changed(source, starts[record], log.raw(record), after, format.members_of(after))
        except (CutShort, NothingThere) as error:
            raise NotVerified(f"Message {record} has a shape that is not written back ({error}).") from error
    return found


def _changed(source: Assembled, start: int, before: bytes, after: bytes, new: list[tuple[int, int]]) -> Changes:
    """The members of one record that are other than they were; `new` are their spans in `after`, in the same order."""
    found: Changes = {}
    old = source.members_in(start, start + len(before))
    texts = [before[member.start - start : member.end - start] for member in old]
    # What is white around the JSON of a file is no part of it, and stays.
    bare = [text.strip() for text in texts]
    followers = _followers(bare, [after[slice(*span)] for span in new])
    for member, text, was, follower in zip(old, texts, bare, followers, strict=True):
        if follower is None:
            found[member.name] = None
        elif follower != was:
            if was[: member.given] != follower[: member.given]:
                raise NotVerified(f"The ids of {member.name} may not change, so nothing was written.")
            found[member.name] = member.own(text.replace(was, follower, 1))
    return found


def _followers(old: list[bytes], new: list[bytes]) -> list[bytes | None]:
    """What became of each text: some are changed, or some are gone. Those with an id are known by it."""
    if len(old) == len(new):
        return list(new)
    rest = list(reversed(new))
    found = [rest.pop() if rest and _key(rest[-1]) == _key(text) else None for text in old]
    if rest:
        raise NotVerified("A message has parts that were not in it, so nothing was written. Please report this log.")
    return found


def _key(text: bytes) -> Any:
    value = value_of(text)
    return value.get("id", text) if isinstance(value, dict) else text


def write_copy(source: Assembled, target: Path, changes: Changes, judge: Callable[[str], None]) -> tuple[str, ...]:
    """Write a whole copy to `target`, read it again, and only then give it the name; what is to be told of it.

    Raises InspectorError.
    """
    keeper = source.keeper
    refuse_special(target)
    if os.path.isdir(target) and any(target.iterdir()):
        raise CannotWrite(f"{target} is a folder with files in it: choose a name that is free.")
    told: tuple[str, ...] = ()
    with temporary_beside(target, is_folder=True) as spare:
        try:
            if isinstance(keeper, Folder):
                part = spare
                folder.copy(keeper, part, changes)
                if keeper.path.is_dir():
                    shutil.copymode(keeper.path, part)
            else:
                # In a folder of its own, as SQLite keeps files beside it while it is written.
                part = spare / target.name
                told = database.copy(_database(keeper), part, changes)
            judge(str(part))
            source.check_unchanged()
            os.replace(part, target)
        except OSError as error:
            raise CannotWrite.by(error, target) from error
    return (*told, *flush_folder(target.absolute().parent))


def write_in_place(source: Assembled, changes: Changes, judge: Callable[[str], None]) -> tuple[Path, tuple[str, ...]]:
    """Change the members where they lie, after a backup; the backup, and what is to be told. Raises InspectorError.

    What was written is read again; when it is not as planned, the backup is put back. The backup goes only once every
    member is what it was.
    """
    keeper = source.keeper
    source.check_unchanged()
    kept = _back_up(keeper, changes)
    try:
        told = folder.apply(keeper, kept, changes) if isinstance(keeper, Folder) else ()
        if isinstance(keeper, Database):
            database.apply(keeper, kept, changes)
    except HalfDone:
        raise
    except InspectorError:
        _discard(kept)
        raise
    try:
        judge(source.path)
    except (InspectorError, OSError):
        if isinstance(keeper, Folder):
            folder.put_back(keeper.path, kept, list(changes))
        else:
            database.restore(keeper.path, kept)
        _discard(kept)
        raise
    return kept, told


def _back_up(keeper: Keeper, changes: Changes) -> Path:
    """Keep what will change. The backup has its name only once it is whole. Raises CannotWrite."""
    if isinstance(keeper, Folder):
        folder.refuse_links(keeper, changes)
        return folder.back_up(keeper, changes)
    return database.back_up(keeper.path)


def _database(keeper: Keeper) -> Database:
    assert isinstance(keeper, Database)
    return keeper


def _discard(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
