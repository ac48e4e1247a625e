"""A bundle: a log that yields the findings of another without a word of it, with a report on the original."""

from os.path import basename, splitext
from typing import Any

from inspector.core.bytes.json_text import pretty_json
from inspector.core.bytes.source import Source
from inspector.core.bytes.temporary import AssembledSource
from inspector.core.engine.open_log import OpenLog
from inspector.core.engine.packing import zip_bytes
from inspector.core.engine.report_file import write_export
from inspector.core.errors import InspectorError, NotVerified, ReadOnlyFormat
from inspector.core.formats.bases.reading import Reading
from inspector.core.index.columns import RecordMark
from inspector.core.judging.check import Report, check
from inspector.core.opening.opening import open_log
from inspector.core.reports.head import JSON_HEADER
from inspector.core.reports.outward.gathering import ShareableReportBuilder
from inspector.core.reports.outward.model import ShareableReport
from inspector.core.reports.outward.wording import Translator
from inspector.core.reports.outward.writers import RENDERERS
from inspector.core.skeleton.masking import Anonymizer

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
                Reading(deep=original.log.deeply_checked),
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
