"""Files to pass on: bundles (a log without content, with reports on it), repairs to send back, plans and reports."""

import io
import os
import re
import sys
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from os.path import basename, splitext
from pathlib import Path
from typing import Any

from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import open_log
from inspector.core.discovery.stores import agent_name, default_store_folder
from inspector.core.engine.log import OpenLog
from inspector.core.engine.log_paths import file_on_disk
from inspector.core.errors import CannotWrite, InspectorError, NotVerified, ReadOnlyFormat
from inspector.core.formats.base.agent import agent_of
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.writer import Writer
from inspector.core.model.columns import RecordMark
from inspector.core.model.session import Log
from inspector.core.presentation.overview import working_folder
from inspector.core.presentation.results import SendBackOptions, SendBackPackage
from inspector.core.redaction.anonymizer import Anonymizer
from inspector.core.repair.choices import Choices
from inspector.core.repair.portable_plan import PlanFile, decode_plan
from inspector.core.report.json import JSON_HEADER
from inspector.core.report.shareable.builder import ShareableReportBuilder
from inspector.core.report.shareable.documents import RENDERERS
from inspector.core.report.shareable.instructions import (
    LOG_PLACEHOLDER,
    SESSION_PLACEHOLDER,
    RepairInstructions,
    instructions_page,
)
from inspector.core.report.shareable.model import ShareableReport
from inspector.core.report.shareable.sentences import Translator
from inspector.core.save.atomic import write_atomically
from inspector.core.save.file_metadata import MetadataSource, file_mode, metadata_source
from inspector.core.save.save import refuse_overwriting, refuse_overwriting_log
from inspector.core.storage.archive import MAX_EXPANSION
from inspector.core.storage.json_text import pretty_json
from inspector.core.storage.source import Source, is_special_file
from inspector.core.storage.temporary import AssembledSource
from inspector.version import __version__

__all__ = ["PlanFile"]


MAX_LOG_SIZE = 256 * 1024 * 1024
_REPORTS = {"report.txt": "text", "report.json": "json", "report.md": "markdown"}


def write_bundle(log: OpenLog, output: str, language: str = "en") -> int:
    """Write the bundle of a log; how many findings it yields, those of the log.

    A log of many files or rows becomes one file, as its agent exports it: its records keep their numbers, not their
    lines and offsets.
    Raises NotVerified where its skeleton yields others, ReadOnlyFormat for a log that has none, CannotWrite.
    """
    log.require_judged()
    source, original = log.source, check(log.report.log)
    if source.size > MAX_LOG_SIZE:
        raise ReadOnlyFormat(
            f"{source.path} is larger than {MAX_LOG_SIZE // 1024**2} MB: shorten it with `trim` first."
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
    told = ShareableReport((ShareableReportBuilder().judged_log(original, log.evidence()),))
    reports = {file: RENDERERS[form](told, Translator(language)) for file, form in _REPORTS.items()}
    findings = sum(len(session.findings) for session in original.sessions)
    manifest = JSON_HEADER | {
        "log": name,
        "format": original.format.name,
        "bytes": len(skeleton),
        "sessions": len(original.sessions),
        "findings": findings,
        "content": "none: every text was replaced by other letters",
        "verified": "read again, it yields the findings of the original",
    }
    members = {name: skeleton, **reports, "manifest.json": f"{pretty_json(manifest)}\n".encode()}
    write_export(output, zip_bytes(members), source)
    return findings


def _require_same(original: Report, skeleton: bytes, name: str) -> None:
    """Raises NotVerified unless a skeleton yields the findings of the original."""
    try:
        with Source.of_bytes(skeleton, name) as source:
            placed, reading = (
                not isinstance(original.log.source, AssembledSource),
                ReadOptions(deep=original.log.deeply_checked),
            )
            same = _compared_facts(check(open_log(source, reading=reading)), placed) == _compared_facts(
                original, placed
            )
    except InspectorError:
        same = False
    if not same:
        raise NotVerified(
            "Without its content this log yields other findings than with it, so no bundle was written. "
            "Pass on the report alone: `check --format markdown`."
        )


def _compared_facts(report: Report, placed: bool) -> list[Any]:
    """What must be the same: verdicts, counts, and of each finding its class, weight, record, place and repairs."""
    return [report.format.name] + [
        (
            session.verdict,
            (session.messages, session.calls, session.results, session.dangling, session.orphans),
            (session.on_resume.outcome, len(session.on_resume.losses), len(session.on_resume.answered_calls)),
            [
                (
                    each.rule,
                    each.severity,
                    each.place.record,
                    (each.place.line, each.place.bytes) if placed else (),
                    each.strategies,
                    each.default,
                )
                for each in session.findings
            ],
        )
        for session in report.sessions
    ]


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """An archive that is the same whenever it is made, with no member in it that we would not read again."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, _method(data))
    return made.getvalue()


def _method(data: bytes) -> int:
    """Not compressed where it would shrink so far that our own reading would take it for a bomb (see GROWTH)."""
    return zipfile.ZIP_STORED if len(data) > len(zlib.compress(data)) * MAX_EXPANSION // 2 else zipfile.ZIP_DEFLATED


def read_plan(path: str) -> PlanFile:
    """The plan in the file at `path`. Raises UnreadableLog."""
    with Source.open(path) as source:
        return decode_plan(source.read(0, source.size), path)


def write_report(output: str, pieces: Iterable[bytes | bytearray], logs: list[str]) -> None:
    """Write a report, which quotes what the logs hold: it is as private as the most private of them, and none of them.

    A log may lie in an archive. A device or a pipe is written to as it is. Raises CannotWrite.
    """
    places = list(dict.fromkeys(map(file_on_disk, logs)))
    refuse_overwriting(output, places)
    _write(output, pieces, _most_private(places))


def write_export(output: str, data: bytes, log: Source) -> None:
    """Write what was made of an open log, as private as it is, to no file of it. Raises CannotWrite."""
    refuse_overwriting_log(output, log)
    _write(output, [data], metadata_source(log))


def _write(output: str, pieces: Iterable[bytes | bytearray], like: MetadataSource | None) -> None:
    if not is_special_file(output):
        write_atomically(Path(output), map(bytes, pieces), like, follow_links=True)
        return
    try:
        with open(output, "wb") as file:
            file.writelines(pieces)
    except OSError as error:
        raise CannotWrite(f"{output} cannot be written: {error.strerror or error}.") from error


def _most_private(logs: list[str]) -> MetadataSource | None:
    """The log that the fewest may read."""
    found = [Path(path) for path in logs if os.path.exists(path)]
    return MetadataSource(min(found, key=lambda path: file_mode(path) & 0o077)) if found else None


_HERE = {"win32": "windows", "darwin": "macos"}


def make_send_back_package(log: OpenLog, choices: Choices, options: SendBackOptions) -> SendBackPackage:
    """The repair that `choices` ask for, to be done where the log lies. Nothing is written.

    Raises as `OpenLog.plan_to_pass_on` does.
    """
    file, format = log.make_portable_plan(choices), log.report.format
    system = options.system or operating_system_of(log.log)
    going = agent_of(format).resume_steps(LOG_PLACEHOLDER, SESSION_PLACEHOLDER, False)
    told = RepairInstructions(
        agent="" if format.is_provider_api else agent_name(format),
        version=__version__,
        system=system,
        folder=default_store_folder(format.stores, system),
        records=len(file.records),
        in_place=isinstance(format, Writer) and not format.save_refusal(log.log, "in-place"),
        steps=going.steps,
        command=going.command,
    )
    return SendBackPackage(instructions_page(told, Translator(options.language)), file.encode().decode(), system)


def save_send_back_package(log: OpenLog, choices: Choices, options: SendBackOptions, target: str) -> None:
    """Write that as an archive to `target`. Raises CannotWrite as well."""
    made = make_send_back_package(log, choices, options)
    members = {"read-me.txt": made.page.encode(), "plan.json": made.plan.encode()}
    write_export(target, zip_bytes(members), log.source)


def operating_system_of(log: Log) -> str:
    """The system that a log was written on, by the folder that its agent worked in; if that is unknown, ours."""
    folder = working_folder(log)
    if re.match(r"[A-Za-z]:[\\/]", folder):
        return "windows"
    if folder.startswith("/"):
        return "macos" if folder.startswith("/Users/") else "linux"
    return _HERE.get(sys.platform, "linux")
