"""Files to pass on: bundles (a log without content, with reports on it), repairs to send back, plans and reports."""

import io
import re
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from os.path import basename, splitext
from pathlib import Path
from typing import Any

import msgspec

from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import open_log
from inspector.core.discovery.stores import agent_name, default_store_folder
from inspector.core.engine.log import OpenLog
from inspector.core.engine.path_checks import containing_file_on_disk
from inspector.core.errors import CannotWrite, InspectorError, NotVerified, ReadOnlyFormat, UnreadableLog
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.writer import Writer
from inspector.core.model.columnar_index import RecordMark
from inspector.core.model.session import Log
from inspector.core.presentation.engine_results import RepairInstructionsPackage, SendBackRecipient
from inspector.core.presentation.opened_log_facts import working_folder
from inspector.core.redaction.anonymizer import Anonymizer
from inspector.core.repair.choices import Choices
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.portable_plan import PortablePlan, decode_plan
from inspector.core.report.json import ReportDocument
from inspector.core.report.sentences import rule_title
from inspector.core.report.shareable.builder import ShareableReportBuilder
from inspector.core.report.shareable.log_content_reader import LogContentReader
from inspector.core.report.shareable.model import ShareableReport
from inspector.core.report.shareable.renderers import RENDERERS
from inspector.core.report.shareable.repair_instructions import (
    LOG_PLACEHOLDER,
    SESSION_PLACEHOLDER,
    RepairInstructions,
    instructions_page,
)
from inspector.core.save.atomic import LateMetadataSource, write_atomically
from inspector.core.save.file_metadata import MetadataSource, file_mode, metadata_source_of_log
from inspector.core.save.save import refuse_overwriting_any_of, refuse_overwriting_log
from inspector.core.storage.archive import NoSuchMember, open_archive_member
from inspector.core.storage.archive_paths import is_archive
from inspector.core.storage.compression import MAX_EXPANSION_RATIO
from inspector.core.storage.json_text import pretty_json
from inspector.core.storage.source import Source, is_special_file
from inspector.core.storage.temporary_files import AssembledSource
from inspector.core.translation import Translator, encode_sentence_in_english, tr
from inspector.version import __version__

MAX_LOG_SIZE = 256 * 1024 * 1024
_PLAN_NAME = "plan.json"
_REPORTS = {"report.txt": "text", "report.json": "json", "report.md": "markdown"}
_CURRENT_SYSTEM = {"win32": "windows", "darwin": "macos"}


class BundleManifest(ReportDocument, kw_only=True):
    """What `bundle` says of the log in a bundle."""

    log: str
    format: str
    bytes: int
    sessions: int
    findings: int
    content: str = "none: all text was replaced by other letters"
    verified: str = "checked: it has the same findings as the original"


def write_bundle(log: OpenLog, output: str, language: str = "en") -> int:
    """Write the bundle of a log, and return the number of findings, which is that of the log.

    A log of many files or rows becomes one file, as its agent exports it. Its records keep their numbers, but not their
    lines and offsets. Raises NotVerified if the skeleton yields other findings, ReadOnlyFormat for a log that is too
    large, CannotWrite.
    """
    log.require_judged()
    source, original = log.source, check(_without_other_logs(log.report.log))
    if source.size > MAX_LOG_SIZE:
        raise ReadOnlyFormat(
            tr(
                "{path} is larger than {max_log_size} MB. Shorten it with `trim` first.",
                path=source.path,
                max_log_size=MAX_LOG_SIZE // 1024**2,
            )
        )
    data = source.read(0, source.size)
    columns = original.log.columns
    spans = zip(columns.starts, columns.ends, columns.marks, strict=True)
    errors = [(start, end) for start, end, mark in spans if mark & RecordMark.API_ERROR]
    masker = Anonymizer(data, original.format.marker_patterns, errors)
    stem, suffix = splitext(basename(source.path.removesuffix(".zst")) if source.path != "-" else "log.jsonl")
    suffix = ".json" if isinstance(source, AssembledSource) else suffix if suffix in (".json", ".jsonl") else ".log"
    name, skeleton = masker.anonymize_name(f"{stem}{suffix}"), masker.anonymize(data)
    _require_same(original, skeleton, name)
    report = ShareableReport(
        (ShareableReportBuilder().judged_log(original, LogContentReader(original), log.evidence()),)
    )
    reports = {file: RENDERERS[form](report, Translator(language)) for file, form in _REPORTS.items()}
    findings = sum(len(session.findings) for session in original.sessions)
    manifest = BundleManifest(
        log=name,
        format=original.format.name,
        bytes=len(skeleton),
        sessions=len(original.sessions),
        findings=findings,
    )
    written = pretty_json(msgspec.to_builtins(manifest, enc_hook=encode_sentence_in_english))
    members = {name: skeleton, **reports, "manifest.json": f"{written}\n".encode()}
    write_derived_file(output, zip_bytes(members), source)
    return findings


def _without_other_logs(log: Log) -> Log:
    """Return a log as it is by itself: what it continues is in another file, and no part of a bundle."""
    if not log.source.attached and log.unread_base is None:
        return log
    alone = Source.of_bytes(log.source.read(0, log.source.size), basename(log.source.path))
    return open_log(alone, log.format, ReadOptions(deep=log.deeply_checked))


def _require_same(original: Report, skeleton: bytes, name: str) -> None:
    """Raise NotVerified unless a skeleton yields the findings of the original."""
    placed = not isinstance(original.log.source, AssembledSource)
    reading = ReadOptions(deep=original.log.deeply_checked)
    try:
        with Source.of_bytes(skeleton, name) as source:
            read_again = check(open_log(source, reading=reading))
            same = _compared_facts(read_again, placed) == _compared_facts(original, placed)
    except InspectorError:
        same = False
    if not same:
        raise NotVerified(
            tr(
                "No bundle was written, because a copy of this log without its content has different findings. "
                "Send only a report: `check --format markdown`."
            )
        )


def _compared_facts(report: Report, placed: bool) -> list[Any]:
    """Return what must be the same: verdicts, counts, and the rule, severity, record, place and repairs of findings.

    Lines and offsets are left out unless they are `placed`, that is comparable.
    """
    return [report.format.name] + [
        (
            session.verdict,
            (session.messages, session.calls, session.results, session.dangling, session.orphans),
            (session.on_resume.outcome, len(session.on_resume.losses), len(session.on_resume.answered_calls)),
            [
                (
                    finding.rule,
                    finding.severity,
                    finding.place.record,
                    (finding.place.line, finding.place.bytes) if placed else (),
                    finding.strategies,
                    finding.default,
                )
                for finding in session.findings
            ],
        )
        for session in report.sessions
    ]


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """Return a zip archive that does not depend on the time and whose members this program would read again."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            readable_name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            archive.writestr(zipfile.ZipInfo(readable_name), data, _method(data))
    return buffer.getvalue()


def _method(data: bytes) -> int:
    """Return the compression of a member: none if our reader would reject it for how far it would shrink."""
    return (
        zipfile.ZIP_STORED if len(data) > len(zlib.compress(data)) * MAX_EXPANSION_RATIO // 2 else zipfile.ZIP_DEFLATED
    )


def read_plan(path: str) -> PortablePlan:
    """Read the plan in the file at `path`: the plan itself, or an archive of `repair --send-back`.

    Raises UnreadableLog.
    """
    try:
        with open_archive_member(path, _PLAN_NAME) if is_archive(path) else Source.open(path) as source:
            return decode_plan(source.read(0, source.size), path)
    except NoSuchMember as error:
        raise UnreadableLog(
            tr("{path} contains no plan. Use the archive that `repair --send-back` wrote.", path=path)
        ) from error


def write_report(output: str, pieces: Iterable[bytes | bytearray], logs: list[str]) -> None:
    """Write a report on logs to a file that is none of them. Raises CannotWrite.

    The report quotes what the logs hold, so the file is as private as the most private of them. A log may be in an
    archive, and may be added to `logs` while the pieces come. A device or a pipe is written to as it is.
    """

    def places() -> Iterable[str]:
        return dict.fromkeys(map(containing_file_on_disk, logs))

    _write(output, pieces, lambda: _most_private(places()), lambda: refuse_overwriting_any_of(output, places()))


def write_derived_file(output: str, data: bytes, log: Source) -> None:
    """Write what was made of an open log to a file that is as private as the log.

    Raises CannotWrite, also if `output` is a file of the log.
    """
    refuse_overwriting_log(output, log)
    _write(output, [data], metadata_source_of_log(log))


def _write(
    output: str,
    pieces: Iterable[bytes | bytearray],
    like: MetadataSource | LateMetadataSource | None,
    final_check: Callable[[], None] | None = None,
) -> None:
    if not is_special_file(output):
        write_atomically(Path(output), map(bytes, pieces), like, final_check=final_check, follow_links=True)
        return
    try:
        with open(output, "wb") as file:
            file.writelines(pieces)
    except OSError as error:
        raise CannotWrite(
            tr("{output} cannot be written: {strerror}.", output=output, strerror=error.strerror or error)
        ) from error


def _most_private(logs: Iterable[str]) -> MetadataSource | None:
    """Return the log that the fewest users may read, None if there is none."""
    most_private = min(logs, key=_readers, default="")
    return MetadataSource(Path(most_private)) if most_private else None


def _readers(path: str) -> int:
    """Return the permissions of others for a log as a number, the largest for one that does not exist."""
    try:
        return file_mode(Path(path)) & 0o077
    except OSError:
        return 0o100


def make_send_back_package(log: OpenLog, choices: Choices, options: SendBackRecipient) -> RepairInstructionsPackage:
    """Return the repair for `choices`, to be done where the log is. Nothing is written.

    Raises what `OpenLog.make_portable_plan` raises.
    """
    plan, format = log.make_portable_plan(choices), log.report.format
    system = options.system or operating_system_of(log.log)
    resuming = agent_of(format).resume_steps(LOG_PLACEHOLDER, SESSION_PLACEHOLDER, False)
    edits = [edit for _, edit in edits_of(log.plan(choices), with_values=False)]
    answered = dict.fromkeys(finding for edit in edits for finding in edit.findings)
    changes = Counter(action for action, _ in {(edit.action, edit.record) for edit in edits if edit.record is not None})
    changes["insert"] = sum(edit.record is None for edit in edits)
    instructions = RepairInstructions(
        problems=Counter(rule_title(finding.partition(":")[0]) for finding in answered),
        changes=changes,
        agent="" if format.is_provider_api else agent_name(format),
        version=__version__,
        system=system,
        folder=default_store_folder(format.stores, system),
        records=len(plan.records),
        in_place=isinstance(format, Writer) and not format.save_refusal(log.log, "in-place"),
        steps=resuming.steps,
        command=resuming.command,
    )
    return RepairInstructionsPackage(
        instructions_page(instructions, Translator(options.language)), plan.encode().decode(), system
    )


def save_send_back_package(log: OpenLog, choices: Choices, options: SendBackRecipient, target: str) -> None:
    """Write the page and the plan as a zip archive to `target`. Raises CannotWrite as well."""
    package = make_send_back_package(log, choices, options)
    members = {"read-me.txt": package.page.encode(), _PLAN_NAME: package.plan.encode()}
    write_derived_file(target, zip_bytes(members), log.source)


def operating_system_of(log: Log) -> str:
    """Return the system that a log was written on, by the working folder of its agent; ours if that is unknown."""
    folder = working_folder(log)
    if re.match(r"[A-Za-z]:[\\/]", folder):
        return "windows"
    if folder.startswith("/"):
        return "macos" if folder.startswith("/Users/") else "linux"
    return _CURRENT_SYSTEM.get(sys.platform, "linux")
