"""The three saves: a copy, in place with a backup, and as a new session that the agent finds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from inspector.core.check import Verdict, check
from inspector.core.containers.zstd import SUFFIX
from inspector.core.errors import CannotWrite, InspectorError, NotVerified, ReadOnlyFormat, UnreadableLog
from inspector.core.formats.bases.terms import Reading, SideEdit
from inspector.core.json_text import is_sound
from inspector.core.opening import open_log, open_source
from inspector.core.repair.edits import Quarantined
from inspector.core.repair.plan import Plan
from inspector.core.save.assembled import changes_of, write_copy, write_in_place
from inspector.core.save.atomic import free_name, write_whole
from inspector.core.source import Source
from inspector.core.spool import Assembled
from inspector.core.writing import pieces, splices_of


class Written(Struct, frozen=True):
    """What a save left on disk; `backup` and `quarantine` are "" when there was none to make.

    `beside` says what was changed, or has to be, in files beside the log; `undo` how to undo it, where no file is put
    back in its place.
    """

    path: str
    session_id: str
    backup: str = ""
    quarantine: str = ""
    verdict: str = ""
    beside: tuple[str, ...] = ()
    undo: str = ""


def require_verified(plan: Plan, mode: str = "copy") -> None:
    """Raises NotVerified when the outcome is not accepted, ReadOnlyFormat when this log may not be written so."""
    if not plan.verified:
        raise NotVerified(f"Nothing was written: {plan.reason}")
    refused = plan.draft.format.refuses(plan.draft.log, mode)
    if refused:
        raise ReadOnlyFormat(refused)


def output(plan: Plan) -> Iterator[bytes]:
    """The bytes of the repaired log."""
    log = plan.draft.log
    return pieces(log.source, splices_of(log, plan.draft.record_edits()))


def output_bytes(plan: Plan) -> bytes:
    """The repaired log whole, judged as it would be on disk. Raises InspectorError."""
    if isinstance(plan.draft.log.source, Assembled):
        raise ReadOnlyFormat("A log of many files or rows is no one text: give it a name with -o instead.")
    return rehearsed(plan)


def rehearsed(plan: Plan) -> bytes:
    """The text of the repaired log, after all that the saving of a copy would refuse. Raises InspectorError."""
    require_verified(plan)
    _judge_written_records(plan)
    if isinstance(plan.draft.log.source, Assembled):
        changes_of(plan, plan.draft.log.source)
    data = b"".join(output(plan))
    _judge(Source.of_bytes(data, plan.draft.log.source.path), plan)
    return data


def save_copy(plan: Plan, target: str) -> Written:
    """Write the repaired log to `target`, which may not be the original. Raises InspectorError."""
    require_verified(plan)
    log = plan.draft.log
    _judge_written_records(plan)
    if log.source.path != "-" and _is_same(target, log.source.path):
        raise CannotWrite(f"{target} is the log itself. Choose another name, or save in place, which keeps a backup.")
    if isinstance(log.source, Assembled):
        judge = _Judge(plan)
        write_copy(log.source, Path(target), changes_of(plan, log.source), judge)
        return Written(target, log.sessions[0].id, "", _set_aside(plan, target, replace=True), judge.verdict)
    verdict = _write(plan, Path(target), output(plan))
    beside = tuple(f"If you put it in the place of the original: {edit.sentence}" for edit in side_edits(plan))
    return Written(target, log.sessions[0].id, "", _set_aside(plan, target, replace=True), verdict, beside)


def save_in_place(plan: Plan) -> Written:
    """Replace the log by its repaired self, after a backup beside it under a name that no agent lists."""
    require_verified(plan, "in-place")
    log = plan.draft.log
    if log.source.path == "-":
        raise ReadOnlyFormat("A log from standard input cannot be saved in place: give an output with -o.")
    _judge_written_records(plan)
    log.source.check_unchanged()
    if isinstance(log.source, Assembled):
        return _save_members(plan, log.source)
    if log.source.packed_from:
        return _save_unpacked(plan, log.source.packed_from)
    original = Path(os.path.realpath(log.source.path))
    backup = free_name(original, ".backup")
    write_whole(backup, pieces(log.source, []), mode_of=original)
    try:
        verdict = _write(plan, original, output(plan))
    except InspectorError:
        backup.unlink(missing_ok=True)
        raise
    beside = tuple(_write_beside(edit) for edit in side_edits(plan))
    aside = _set_aside(plan, log.source.path)
    return Written(log.source.path, log.sessions[0].id, str(backup), aside, verdict, beside)


def _save_members(plan: Plan, source: Assembled) -> Written:
    """Change the files or rows that the plan changes, after a backup of them."""
    judge = _Judge(plan)
    kept = write_in_place(source, changes_of(plan, source), judge)
    undo = f"To undo: put what is in {kept} back in its place."
    if os.path.isfile(kept):
        # Changes of a later state would be carried out on the backup.
        name = source.keeper.path.name
        undo = f"To undo: close the agent, delete {name}-wal and {name}-shm if they are there, put {kept} in its place."
    aside = _set_aside(plan, str(source.keeper.path))
    return Written(source.path, plan.draft.log.sessions[0].id, str(kept), aside, judge.verdict, undo=undo)


def _save_unpacked(plan: Plan, packed: str) -> Written:
    """Write the log unpacked beside the compressed one, which stays as the backup."""
    plain = Path(packed.removesuffix(SUFFIX))
    if str(plain) == packed:
        raise ReadOnlyFormat(f"{packed} is compressed and its name does not say so: save a copy instead.")
    if os.path.exists(plain):
        raise ReadOnlyFormat(f"{plain} lies beside the compressed log, and is what the agent reads: open that one.")
    verdict = _write(plan, plain, output(plan))
    beside = (f"The compressed log {packed} stays as it was; an agent that finds both reads {plain.name}.",)
    aside, undo = _set_aside(plan, str(plain)), f"To undo: delete {plain}."
    return Written(str(plain), plan.draft.log.sessions[0].id, packed, aside, verdict, beside, undo)


def side_edits(plan: Plan) -> list[SideEdit]:
    """What must change in files beside the log."""
    draft = plan.draft
    return draft.format.side_edits(draft.log, draft.columns, draft.raw)


def _write_beside(edit: SideEdit) -> str:
    """Change one file beside the log, after a backup; returns what was done."""
    path = Path(edit.path)
    backup = free_name(path, ".backup")
    write_whole(backup, [path.read_bytes()], mode_of=path)
    write_whole(path, [edit.after], mode_of=path)
    return f"{edit.sentence} (backup: {backup})"


def save_new_session(plan: Plan, folder: str = "") -> Written:
    """Write the repaired log under a new session id: where the agent looks for it, else beside the original."""
    require_verified(plan, "new-session")
    log, format = plan.draft.log, plan.draft.format
    old = log.sessions[0].id
    new = format.new_session_id(old, 1)
    if new is None or log.source.path == "-":
        raise ReadOnlyFormat(f"{format.label} cannot be saved as a new session: save a copy or in place.")
    _judge_written_records(plan)
    store = format.store_folder(log)
    beside = Path(os.path.realpath(log.source.path)).parent
    place = Path(folder) if folder else store if store is not None and os.path.isdir(store) else beside
    attempt = 1
    while os.path.exists(place / format.session_file(log, new)):
        attempt += 1
        new = format.new_session_id(old, attempt) or new
    target = place / format.session_file(log, new)
    renamed = (format.renamed(line, old, new) for line in _lines(output(plan)))
    verdict = _write(plan, target, renamed)
    return Written(str(target), new, "", _set_aside(plan, str(target)), verdict)


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream of bytes, with their line ends."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest


def _write(plan: Plan, target: Path, chunks: Iterable[bytes]) -> str:
    """Write, read again, judge, and only then take the name. Returns the verdict of what was written."""
    log = plan.draft.log
    verdicts: list[str] = []

    def judge(part: Path) -> None:
        source = open_source(str(part))
        # What lies beside the log is part of how it is read.
        source.path = log.source.path
        verdicts.append(_judge(source, plan).word)

    mode_of = Path(log.source.path) if log.source.path != "-" else None
    write_whole(target, chunks, mode_of, judge, log.source.check_unchanged)
    return verdicts[0]


class _Judge:
    """Reads what was written for members again, and keeps the verdict."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.verdict = plan, ""

    def __call__(self, path: str) -> None:
        self.verdict = _judge(open_source(path), self.plan).word


def _judge(source: Source, plan: Plan) -> Verdict:
    """The verdict of what was written. Raises NotVerified when it is not what the plan promised."""
    log = plan.draft.log
    try:
        report = check(open_log(source, log.format, Reading(deep=log.deep)), sides=False)
    except UnreadableLog as error:
        raise NotVerified(f"What the repair leaves could not be read, so nothing was written: {error}") from error
    finally:
        source.close()
    own = {session.profile for session in plan.sessions}
    if report.verdict == Verdict.BROKEN and all(plan.refusals.get(name, "") is None for name in own):
        raise NotVerified(
            "What was written does not read back as planned, so it was discarded. Please report this log."
        )
    return report.verdict


def _judge_written_records(plan: Plan) -> None:
    """Every record that the repair made or changed must be sound JSON on its own."""
    edits = plan.draft.record_edits()
    for text in [*edits.replaced.values(), *(t for texts in edits.after.values() for t in texts)]:
        if not is_sound(text):
            raise NotVerified("A repaired record is no sound JSON, so nothing was written. Please report this log.")


def _set_aside(plan: Plan, target: str, replace: bool = False) -> str:
    """Write the quarantined bytes beside the output: for each a line with offset and length, then the very bytes."""
    found: list[Quarantined] = plan.draft.quarantined
    if not found:
        return ""
    place = Path(f"{target}.quarantine")
    if os.path.exists(place) and not replace:
        place = free_name(Path(target), ".quarantine")
    source = plan.draft.log.source
    write_whole(place, (_entry(source, each) for each in sorted(found, key=lambda each: each.offset)))
    return str(place)


def _entry(source: Source, each: Quarantined) -> bytes:
    where = source.place_of(each.offset, each.offset + len(each.bytes)) or f"offset {each.offset}"
    return f"--- {where}, {len(each.bytes)} bytes\n".encode(errors="backslashreplace") + each.bytes + b"\n"


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(other))
    except OSError:
        return False
