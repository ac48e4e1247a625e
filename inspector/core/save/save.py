"""Save a repaired log as a copy, in place with a backup, or as a new session that the agent finds.

A converted history is saved too. The output never replaces the log unless it is saved in place, and is read again
before it takes its name. After a save the person gets the next steps.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain, count
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from inspector.core.check.check import Report, Verdict, quick_verdict
from inspector.core.convert.convert import Conversion
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.errors import CannotWrite, InspectorError, NotVerified, ReadOnlyFormat, UnreadableLog
from inspector.core.formats.base.agent_behavior import (
    CHANGE_FOLDER_STEP,
    NextSteps,
    agent_of,
    folder_step,
    repaired_location_step,
)
from inspector.core.formats.base.copyable_commands import is_plain_word, shell_command
from inspector.core.formats.base.format import Format, Progress, ReadOptions
from inspector.core.formats.base.stores import host_environment
from inspector.core.formats.base.writer import SidecarEdit
from inspector.core.model.session import Session
from inspector.core.presentation.engine_results import SaveResult
from inspector.core.repair.plan import Plan
from inspector.core.repair.record_splices import spliced_chunks, splices_of
from inspector.core.save.atomic import lock_for_saving, write_atomically
from inspector.core.save.backup import (
    back_up_file,
    discard_backup,
    file_pieces,
    keep_quarantined_bytes,
    restore_command,
)
from inspector.core.save.file_metadata import MetadataSource, metadata_source_of_log
from inspector.core.save.multi_member import member_changes, write_container_copy, write_container_in_place
from inspector.core.save.verify_written import detection_warnings, verdict_on_written
from inspector.core.storage.json_lines import ZSTD_SUFFIX
from inspector.core.storage.json_text import is_valid_json
from inspector.core.storage.source import Source
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import tr

_NO_COMMAND = tr(
    "No command is shown, because the session id contains special characters, which could make the "
    "command do more than resume the session. Check the id first."
)
_NO_SESSION_ID = tr(
    "The agent does not resume a log with this name, because {name} is not a session id. To resume the session, "
    "restore the original, and save the repair as a new session."
)


# The names of the result for other programs.
Written: TypeAlias = SaveResult
Converted: TypeAlias = SaveResult


def require_verified(plan: Plan, mode: str = "copy") -> None:
    """Raise NotVerified when the outcome is not accepted, ReadOnlyFormat when the log may not be saved this way."""
    if not plan.verified:
        raise NotVerified(tr("Nothing was written: {reason}", reason=plan.reason))
    refused = plan.draft.format.save_refusal(plan.draft.log, mode)
    if refused:
        raise ReadOnlyFormat(refused)


def output_chunks(plan: Plan) -> Iterator[bytes]:
    """Return the bytes of the repaired log, in chunks."""
    log = plan.draft.log
    return spliced_chunks(log.source, splices_of(log, plan.draft.record_edits()))


def output_bytes(plan: Plan) -> bytes:
    """Return the whole repaired log, verified as it would be on disk. Raises InspectorError."""
    if isinstance(plan.draft.log.source, AssembledSource):
        raise ReadOnlyFormat(
            tr(
                "A log that consists of multiple files or rows cannot be written to standard output. Specify "
                "an output path with -o."
            )
        )
    return checked_copy_bytes(plan)


def checked_copy_bytes(plan: Plan) -> bytes:
    """Return the bytes of the repaired log after every check that saving a copy makes. Raises InspectorError."""
    require_verified(plan)
    _judge_written_records(plan)
    if isinstance(plan.draft.log.source, AssembledSource):
        member_changes(plan, plan.draft.log.source)
    data = b"".join(output_chunks(plan))
    _judge(Source.of_bytes(data, plan.draft.log.source.path), plan)
    return data


def save_copy(
    plan: Plan, target: str, named: bool = True, partial: bool = False, progress: Progress | None = None
) -> SaveResult:
    """Write the repaired log to `target`, which may not be the original. Raises InspectorError.

    A name that the person did not choose (`named` is false) gets a number where it is taken. If `partial`, the log may
    still be broken. `progress(done, total)` is called with bytes.
    """
    if not partial:
        require_verified(plan)
    log = plan.draft.log
    _judge_written_records(plan)
    refuse_overwriting_log(target, log.source)
    place = Path(target) if named else free_name(Path(target))
    with keep_quarantined_bytes(plan, place) as quarantine:
        if isinstance(log.source, AssembledSource):
            verifier = _WrittenVerifier(plan, place)
            warnings = write_container_copy(log.source, place, member_changes(plan, log.source), verifier)
            return SaveResult(
                str(place),
                log.sessions[0].id,
                "",
                quarantine,
                verifier.verdict,
                warnings=(*verifier.warnings, *warnings),
            )
        chunks = _counted(output_chunks(plan), progress, log.source.size)
        verdict, warnings = _write(plan, place, chunks, metadata_source_of_log(log.source), follow=named)
    beside: tuple[str, ...] = ()
    with suppress(CannotWrite):  # The copy needs no file next to the log.
        beside = tuple(
            tr("If you replace the original with this copy: {sentence}", sentence=edit.sentence)
            for edit in sidecar_edits_of_plan(plan)
        )
    return SaveResult(str(place), log.sessions[0].id, "", quarantine, verdict, beside, warnings=warnings)


def free_name(path: Path) -> Path:
    """Return `path`, with a number before its suffix where that name is taken."""
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(each for each in chain((path,), numbered) if not os.path.lexists(each))


def _counted(
    chunks: Iterable[bytes], progress: Progress | None, size: int, before: int = 0, after: int = 0
) -> Iterator[bytes]:
    """Yield chunks of about `size` bytes, and report how many of the bytes of a save were taken.

    `before` and `after` are the bytes that the save copies before and after these.
    """
    done = 0
    for chunk in chunks:
        yield chunk
        done = min(done + len(chunk), size)
        if progress is not None:
            progress(before + done, before + size + after)
    if progress is not None:
        progress(before + size, before + size + after)


def save_in_place(plan: Plan, progress: Progress | None = None) -> SaveResult:
    """Replace the log by the repaired one, after a backup next to it under a name that no agent lists.

    Until the log is replaced, every error leaves it as it was. After that an error is a warning. The bytes of
    `progress(done, total)` include those of the backup. Raises InspectorError.
    """
    require_verified(plan, "in-place")
    log = plan.draft.log
    if log.source.path == "-":
        raise ReadOnlyFormat(tr("A log from standard input cannot be saved in place. Specify an output file with -o."))
    if log.source.read_from:
        raise ReadOnlyFormat(
            tr(
                "{path} cannot be changed in place, because the log was read from {wrapper}. Save a copy.",
                path=log.source.path,
                wrapper=log.source.read_from,
            )
        )
    if log.source.archive:
        raise ReadOnlyFormat(
            tr("{path} is in an archive, and archives are never changed. Save a copy.", path=log.source.path)
        )
    _judge_written_records(plan)
    log.source.check_unchanged()
    if isinstance(log.source, AssembledSource):
        return _save_members(plan, log.source)
    if log.source.compressed_path and not plan.draft.format.writes_compressed:
        return _save_unpacked(plan, log.source.compressed_path)
    original = Path(os.path.realpath(log.source.path))
    metadata = MetadataSource(original, with_owner=True)
    side_edits, size = sidecar_edits_of_plan(plan), log.source.size
    with lock_for_saving(original):
        with keep_quarantined_bytes(plan, original) as quarantine:
            stored = file_pieces(original) if log.source.compressed_path else spliced_chunks(log.source, [])
            backup = back_up_file(original, _counted(stored, progress, size, after=size))
            try:
                chunks = _counted(output_chunks(plan), progress, size, before=size)
                verdict, warnings = _write(plan, original, chunks, metadata)
            except InspectorError:
                discard_backup(backup)
                raise
        beside, failed = _write_all_beside(side_edits, backup)
    warnings = (*warnings, *failed)
    return SaveResult(log.source.path, log.sessions[0].id, str(backup), quarantine, verdict, beside, warnings=warnings)


def _save_members(plan: Plan, source: AssembledSource) -> SaveResult:
    """Change the files or rows that the plan changes, after a backup of them."""
    verifier, container_path = _WrittenVerifier(plan, Path(source.path)), source.container.path
    with lock_for_saving(container_path), keep_quarantined_bytes(plan, container_path) as quarantine:
        backup, warnings = write_container_in_place(source, member_changes(plan, source), verifier)
    undo = tr("To undo, close the agent, and then run: {restore_command}", restore_command=restore_command(backup))
    session = plan.draft.log.sessions[0].id
    return SaveResult(
        source.path,
        session,
        str(backup),
        quarantine,
        verifier.verdict,
        undo=undo,
        warnings=(*verifier.warnings, *warnings),
    )


def _save_unpacked(plan: Plan, compressed: str) -> SaveResult:
    """Write the log uncompressed next to the compressed one, which stays as the backup."""
    uncompressed = Path(compressed.removesuffix(ZSTD_SUFFIX))
    if str(uncompressed) == compressed:
        raise ReadOnlyFormat(
            tr(
                "The name of {compressed} does not indicate that the file is compressed. Save a copy instead.",
                compressed=compressed,
            )
        )
    if os.path.lexists(uncompressed):
        raise ReadOnlyFormat(
            tr(
                "The agent reads {uncompressed}, which is next to the compressed log. Open that file instead.",
                uncompressed=uncompressed,
            )
        )
    with keep_quarantined_bytes(plan, uncompressed) as quarantine:
        verdict, warnings = _write(
            plan, uncompressed, output_chunks(plan), MetadataSource(Path(compressed), with_owner=True)
        )
    beside = (
        tr(
            "The compressed log {compressed} was not changed. If an agent finds both files, it reads {name}.",
            compressed=compressed,
            name=uncompressed.name,
        ),
    )
    session, undo = plan.draft.log.sessions[0].id, tr("To undo, delete {uncompressed}.", uncompressed=uncompressed)
    return SaveResult(str(uncompressed), session, compressed, quarantine, verdict, beside, undo, warnings)


def sidecar_edits_of_plan(plan: Plan) -> list[SidecarEdit]:
    """Return the edits that the repair needs in files next to the log."""
    draft = plan.draft
    return draft.format.sidecar_edits(draft.log, draft.columns, draft.raw)


def _write_all_beside(edits: list[SidecarEdit], backup: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Change the files next to a log that has been replaced: return what was done, and what failed."""
    done, failed = [], []
    for edit in edits:
        try:
            done.append(_write_beside(edit))
        except Exception as error:  # whatever it is, the log is replaced, and the person needs to know the backup
            failed.append(
                tr(
                    "The log was saved, but {path} could not be updated: {error} {backup} contains the original.",
                    backup=backup,
                    path=edit.path,
                    error=error,
                )
            )
    return tuple(done), tuple(failed)


def _write_beside(edit: SidecarEdit) -> str:
    """Change one file next to the log, after a backup, and return what was done."""
    path = Path(edit.path)
    backup = back_up_file(path, [path.read_bytes()])
    write_atomically(path, [edit.after], MetadataSource(path, with_owner=True))
    return f"{edit.sentence} (backup: {backup})"


def save_new_session(plan: Plan, folder: str = "", progress: Progress | None = None) -> SaveResult:
    """Write the repaired log under a new session id, where the agent looks for it or else next to the original.

    `progress(done, total)` is called with bytes. Raises InspectorError.
    """
    require_verified(plan, "new-session")
    log, format, agent = plan.draft.log, plan.draft.format, agent_of(plan.draft.format)
    old = log.sessions[0].id
    new = agent.new_session_id(old, 1)
    if new is None or log.source.path == "-":
        raise ReadOnlyFormat(
            tr("{label} cannot be saved as a new session. Save a copy, or save in place.", label=format.label)
        )
    _judge_written_records(plan)
    store = agent.store_folder(log)
    beside = Path(os.path.realpath(log.source.archive or log.source.path)).parent
    if agent.session_has_folder and beside.name == old:
        beside = beside.parent
    place = Path(folder) if folder else store if store is not None and os.path.isdir(store) else beside
    attempt, target, tried = 1, place / agent.session_file(log, new), set[Path]()
    while os.path.lexists(target):
        if target in tried:  # further attempts would give names that are taken, too
            raise CannotWrite(
                tr(
                    "No new session was saved, because {target} already exists and {label} does not allow any "
                    "other file name. Choose another folder, save a copy, or save in place.",
                    target=target,
                    label=format.label,
                )
            )
        tried.add(target)
        attempt += 1
        new = agent.new_session_id(old, attempt) or new
        target = place / agent.session_file(log, new)
    if isinstance(log.source, AssembledSource):
        return _save_members_as_new_session(plan, log.source, target, old, new)
    chunks = _counted(output_chunks(plan), progress, log.source.size)
    renamed = (agent.with_session_id(line, old, new) for line in _lines(chunks))
    with (
        _own_folder(target) if agent.session_has_folder else nullcontext(),
        keep_quarantined_bytes(plan, target) as quarantine,
    ):
        verdict, warnings = _write(plan, target, renamed, metadata_source_of_log(log.source), renamed=True)
    return SaveResult(str(target), new, "", quarantine, verdict, warnings=warnings)


def _save_members_as_new_session(plan: Plan, source: AssembledSource, target: Path, old: str, new: str) -> SaveResult:
    """Write the repaired log of many files to `target`, a copy of its folder with another session id."""
    changes, agent = member_changes(plan, source), agent_of(plan.draft.format)
    for member in source.members:
        text = changes.members.get(member.name, source.read(member.start, member.end))
        if text is not None and (renamed := agent.with_session_id(text, old, new)) != text:
            changes.members[member.name] = renamed
    verifier = _WrittenVerifier(plan, target, renamed=True)
    with keep_quarantined_bytes(plan, target) as quarantine:
        warnings = write_container_copy(source, target, changes, verifier)
    return SaveResult(str(target), new, "", quarantine, verifier.verdict, warnings=(*verifier.warnings, *warnings))


@contextmanager
def _own_folder(target: Path) -> Iterator[None]:
    """Make the folder of a new session. It is removed again if nothing was written."""
    try:
        target.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise CannotWrite.from_error(error, target, "") from error
    try:
        yield
    except BaseException:
        with suppress(OSError):  # it holds something else
            target.parent.rmdir()
        raise


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream of bytes, with their line ends."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line + b"\n"
    if rest:
        yield rest


def _write(
    plan: Plan,
    target: Path,
    chunks: Iterable[bytes],
    metadata: MetadataSource | None,
    follow: bool = False,
    renamed: bool = False,
) -> tuple[str, tuple[str, ...]]:
    """Write the output, read it again, verify it, and only then let it take its name.

    Returns the verdict and warnings.
    """
    log = plan.draft.log
    verifier = _WrittenVerifier(plan, target, renamed)

    def judge_part(part: Path) -> None:
        # Files next to the log are part of how it is read.
        verifier(str(part), log.source.path)

    pieces = plan.draft.format.stored_pieces(target.name, chunks)
    warnings = write_atomically(target, pieces, metadata, judge_part, log.source.check_unchanged, follow)
    return verifier.verdict, (*verifier.warnings, *warnings)


class _WrittenVerifier:
    """The check that reads again what was written for `target`. It keeps the verdict and the warnings."""

    def __init__(self, plan: Plan, target: Path, renamed: bool = False) -> None:
        self.plan, self.target, self.renamed = plan, target, renamed
        self.verdict = ""
        self.warnings: tuple[str, ...] = ()

    def __call__(self, part: str, path: str = "") -> None:
        source = _reopen(part)
        source.path = path or source.path
        self.warnings = detection_warnings(source, self.plan.draft.log, str(self.target))
        self.verdict = _judge(source, self.plan, self.renamed).word


def _reopen(path: str) -> Source:
    """Open what was written. Raises CannotWrite."""
    try:
        return open_source(path)
    except UnreadableLog as error:
        raise CannotWrite(
            tr("Nothing was written, because the output could not be read back: {error}", error=error)
        ) from error


def _judge(source: Source, plan: Plan, renamed: bool = False) -> Verdict:
    """Return the verdict on what was written. Raises NotVerified when it is not as planned, and CannotWrite."""
    try:
        verdict = verdict_on_written(source, plan, renamed)
    except UnreadableLog as error:
        raise NotVerified(
            tr("Nothing was written, because the repaired log could not be read: {error}", error=error)
        ) from error
    finally:
        source.close()
    own = {session.profile for session in plan.sessions}
    if verdict == Verdict.BROKEN and all(plan.refusals.get(name, "") is None for name in own):
        raise NotVerified(
            tr(
                "The output was discarded, because it differed from the plan when it was read again. Please report "
                "this error, and include the log if you can."
            )
        )
    return verdict


def _judge_written_records(plan: Plan) -> None:
    """Raise NotVerified unless every record that the repair added or changed is valid JSON on its own."""
    edits = plan.draft.record_edits()
    added = chain.from_iterable((*edits.inserted_before.values(), *edits.inserted_after.values()))
    for text in chain(edits.replaced.values(), added):
        if not is_valid_json(text):
            raise NotVerified(
                tr(
                    "Nothing was written, because a repaired record is not valid JSON. Please report this error, "
                    "and include the log if you can."
                )
            )


def refuse_overwriting_log(target: str, source: Source) -> None:
    """Raise CannotWrite where `target` is the log, one of its files, what it continues, or the archive with it."""
    refuse_overwriting_any_of(target, (source.path, *source.stamps, *(each.source.path for each in source.attached)))


def refuse_overwriting_any_of(target: str, paths: Iterable[str]) -> None:
    """Raise CannotWrite where `target` exists and is one of these paths, or lies in one of them.

    "-" is standard input, not a file.
    """
    if os.path.exists(target) and any(_is_of(target, path) for path in paths if path != "-"):
        raise CannotWrite(tr("{target} is the log itself or contains part of it. Choose another name.", target=target))


def _is_of(target: str, path: str) -> bool:
    try:
        if os.path.samefile(target, path):
            return True
    except OSError:
        return False  # the file is gone, or lies in an archive
    return os.path.isdir(path) and Path(target).resolve().is_relative_to(Path(path).resolve())


def save_conversion(conversion: Conversion, target: str, log: Source) -> SaveResult:
    """Write a conversion of `log` to `target`, which may not be part of the log. Raises InspectorError."""
    refuse_overwriting_log(target, log)
    verdicts: list[str] = []

    def verify(part: Path) -> None:
        with Source.open(str(part)) as source:
            verdicts.append(_judged(conversion, source))

    write_atomically(Path(target), conversion.chunks(), metadata_source_of_log(log), verify, follow_links=True)
    return SaveResult(
        target,
        verdict=verdicts[0],
        made="converted",
        steps=(
            tr("The converted history is at {target}.", target=target),
            tr("To undo, delete this file. The log was not changed."),
        ),
        is_log=bool(conversion.target.reader_format),
    )


def converted_bytes(conversion: Conversion) -> bytes:
    """Return the bytes of a conversion, verified, for standard output. Raises InspectorError."""
    data = b"".join(conversion.chunks())
    _judged(conversion, Source.of_bytes(data))
    return data


def _judged(conversion: Conversion, source: Source) -> str:
    """Return the verdict on what was written, "" for a page.

    Raises NotVerified when a sound history became a broken one.
    """
    if not conversion.target.reader_format:
        return ""
    verdict = quick_verdict(open_log(source, conversion.target.reader_format, ReadOptions()))
    if verdict == Verdict.BROKEN and conversion.must_verify:
        raise NotVerified(
            tr(
                "Nothing was written, because the converted messages are not valid. Please report this error, and "
                "include the log if you can."
            )
        )
    return verdict.word


def with_next_steps(written: SaveResult, report: Report) -> SaveResult:
    """Return the result of a save of a repaired or trimmed log with the steps that follow."""
    steps, command = _next_steps(written, report)
    return replace(written, steps=steps, command=command)


def _next_steps(written: SaveResult, report: Report) -> tuple[tuple[str, ...], str]:
    log, agent = report.log, agent_of(report.format)
    new_session = written.session_id != log.sessions[0].id
    if not written.backup and not new_session:
        first = tr("The {made} copy is at {path}.", made=written.made, path=written.path)
        steps, command = _steps_in_folder(agent.copy_steps(log, written.path), written.folder)
        return (first, *steps, *written.beside, undo_step(written)), command
    broken = (judged.session.id for judged in report.sessions if judged.verdict == Verdict.BROKEN)
    session_id = written.session_id if new_session else next(broken, written.session_id)
    agent_steps = agent.resume_steps(written.path, session_id, new_session)
    if agent_steps.command and not is_plain_word(session_id):
        agent_steps = NextSteps((repaired_location_step(written.path), _NO_COMMAND))
    elif agent_steps.command and not agent.is_session_id(session_id):
        agent_steps = NextSteps((tr(_NO_SESSION_ID, name=session_id),), close=agent_steps.close)
    steps, command = _steps_in_folder(agent_steps, written.folder)
    if written.made == "trimmed":
        trimmed_step = tr("The trimmed session is at {path}.", path=written.path)
        steps = tuple(trimmed_step if step == repaired_location_step(written.path) else step for step in steps)
    if command and not _is_where_agent_looks(report, written.path):
        # The command works only after this step, so it stays a step and is not offered to be copied.
        place = int(new_session or bool(agent_steps.close))
        steps, command = (*steps[:place], _move_step(report), *steps[place:]), ""
    steps += written.beside
    if written.undo:
        steps += (written.undo,)
    elif written.backup:
        steps += (tr("To undo, restore the backup {backup}.", backup=written.backup),)
    else:
        steps += (undo_step(written),)
    return steps, command


def resume_command(report: Report, session: Session, folder: str) -> str:
    """Return the command that resumes a session of a log as it lies, "" where there is none.

    There is none for a log that is not where its agent looks for it, such as a copy or a member of an archive.
    """
    log, agent = report.log, agent_of(report.format)
    path = log.source.path
    if log.source.archive or path == "-" or not _is_where_agent_looks(report, path):
        return ""
    steps = agent.resume_steps(path, session.id, False)
    return _steps_in_folder(steps, folder)[1] if is_plain_word(session.id) and agent.is_session_id(session.id) else ""


def _is_where_agent_looks(report: Report, path: str) -> bool:
    """Return whether the agent finds a session of this log at `path`; True where it is not known where it looks."""
    log, agent = report.log, agent_of(report.format)
    if agent.resumes_by_path:
        return True
    store, folder = agent.store_folder(log), os.path.dirname(os.path.abspath(path))
    if store is None:
        homes = _store_homes(report.format)
        return not homes or any(map(Path(folder).resolve().is_relative_to, homes))
    if folder == os.path.dirname(os.path.abspath(log.source.path)) and agent.is_in_store(log):
        return True
    return store.is_dir() and store.samefile(agent.split_session_path(path)[0])


def _store_homes(format: Format) -> list[Path]:
    """Return the folders on this machine in which the agent of a format keeps its sessions."""
    homes = (store.folder_on(host_environment()) for store in format.stores)
    return [Path(home).resolve() for home in dict.fromkeys(homes) if home]


def _move_step(report: Report) -> str:
    """Return the step that brings a session to where the agent looks for it."""
    agent = agent_of(report.format)
    store = agent.store_folder(report.log)
    if store is None:
        homes = ", ".join(map(str, _store_homes(report.format)))
        return tr(
            "The agent looks for this session under {homes}. Move the file to the correct folder there.", homes=homes
        )
    if agent.session_has_folder:
        return tr("The agent looks for this session's folder in {store}. Move the folder there.", store=store)
    return tr("The agent looks for this session in {store}. Move the file there.", store=store)


def _steps_in_folder(agent_steps: NextSteps, folder: str) -> tuple[tuple[str, ...], str]:
    """Return steps that name the project's folder, and one command that changes to it first.

    The steps and the command are unchanged where the folder is not known.
    """
    change = ("cd", "/d", folder) if sys.platform == "win32" else ("cd", folder)
    change_command = (
        shell_command(*change)
        if agent_steps.command and CHANGE_FOLDER_STEP in agent_steps.steps and os.path.isabs(folder)
        else ""
    )
    if not change_command:
        return agent_steps.all_steps, agent_steps.command
    return tuple(
        folder_step(folder) if step == CHANGE_FOLDER_STEP else step for step in agent_steps.all_steps
    ), f"{change_command} && {agent_steps.command}"


def undo_step(written: SaveResult) -> str:
    """Return the step that undoes a save that left the original as it was."""
    if written.quarantine:
        return tr(
            "To undo, delete {path} and {quarantine}. The original was not changed.",
            path=written.path,
            quarantine=written.quarantine,
        )
    return tr("To undo, delete {path}. The original was not changed.", path=written.path)
