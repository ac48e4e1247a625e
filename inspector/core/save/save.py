"""The three saves: a copy, in place with a backup, and as a new session that the agent finds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from inspector.core.check import Verdict, check
from inspector.core.errors import CannotWrite, InspectorError, NotVerified, ReadOnlyFormat
from inspector.core.formats.format import Reading, SideEdit
from inspector.core.json_text import is_sound
from inspector.core.opening import open_log
from inspector.core.repair.edits import Quarantined
from inspector.core.repair.plan import Plan
from inspector.core.save.atomic import write_whole
from inspector.core.source import Source
from inspector.core.writing import pieces, splices_of


class Written(Struct, frozen=True):
    """What a save left on disk; `backup` and `quarantine` are "" when there was none to make.

    `beside` says what was changed, or has to be, in files beside the log.
    """

    path: str
    session_id: str
    backup: str = ""
    quarantine: str = ""
    verdict: str = ""
    beside: tuple[str, ...] = ()


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
    """The repaired log whole, judged as it would be on disk. Raises NotVerified."""
    require_verified(plan)
    _judge_written_records(plan)
    data = b"".join(output(plan))
    _judge(Source.of_bytes(data), plan)
    return data


def save_copy(plan: Plan, target: str) -> Written:
    """Write the repaired log to `target`, which may not be the original. Raises InspectorError."""
    require_verified(plan)
    log = plan.draft.log
    _judge_written_records(plan)
    if log.source.path != "-" and _is_same(target, log.source.path):
        raise CannotWrite(f"{target} is the log itself. Choose another name, or save in place, which keeps a backup.")
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
    original = Path(os.path.realpath(log.source.path))
    backup = _free_name(original, ".backup")
    write_whole(backup, pieces(log.source, []), mode_of=original)
    try:
        verdict = _write(plan, original, output(plan))
    except InspectorError:
        backup.unlink(missing_ok=True)
        raise
    beside = tuple(_write_beside(edit) for edit in side_edits(plan))
    aside = _set_aside(plan, log.source.path)
    return Written(log.source.path, log.sessions[0].id, str(backup), aside, verdict, beside)


def side_edits(plan: Plan) -> list[SideEdit]:
    """What must change in files beside the log."""
    draft = plan.draft
    return draft.format.side_edits(draft.log, draft.columns, draft.raw)


def _write_beside(edit: SideEdit) -> str:
    """Change one file beside the log, after a backup; returns what was done."""
    path = Path(edit.path)
    backup = _free_name(path, ".backup")
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
    place = Path(folder) if folder else store if store is not None and store.is_dir() else beside
    attempt = 1
    while (place / format.session_file(log, new)).exists():
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
        verdicts.append(_judge(Source.open(str(part)), plan).word)

    mode_of = Path(log.source.path) if log.source.path != "-" else None
    write_whole(target, chunks, mode_of, judge, log.source.check_unchanged)
    return verdicts[0]


def _judge(source: Source, plan: Plan) -> Verdict:
    """The verdict of what was written. Raises NotVerified when it is not what the plan promised."""
    log = plan.draft.log
    try:
        report = check(open_log(source, log.format, Reading(deep=log.deep)), sides=False)
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
    if place.exists() and not replace:
        place = _free_name(Path(target), ".quarantine")
    write_whole(place, (_entry(each) for each in sorted(found, key=lambda each: each.offset)))
    return str(place)


def _entry(each: Quarantined) -> bytes:
    return f"--- offset {each.offset}, {len(each.bytes)} bytes\n".encode() + each.bytes + b"\n"


def _free_name(path: Path, suffix: str) -> Path:
    candidate, number = path.with_name(path.name + suffix), 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}{suffix}-{number}")
    return candidate


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(other))
    except OSError:
        return False
