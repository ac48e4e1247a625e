"""A bundle: a log that yields the findings of another without a word of it, with a report on the original."""

from os.path import basename, splitext
from typing import Any

from inspector.core.bytes.json_text import pretty
from inspector.core.bytes.source import Source
from inspector.core.bytes.temporary import Assembled
from inspector.core.engine.open_log import OpenLog
from inspector.core.engine.packing import zipped
from inspector.core.engine.report_file import write_made
from inspector.core.errors import InspectorError, NotVerified, ReadOnlyFormat
from inspector.core.formats.bases.reading import Reading
from inspector.core.index.columns import Mark
from inspector.core.judging.check import Report, check
from inspector.core.opening.opening import open_log
from inspector.core.reports.head import HEAD
from inspector.core.reports.outward.gathering import Gathering
from inspector.core.reports.outward.model import Told
from inspector.core.reports.outward.wording import Wording
from inspector.core.reports.outward.writers import WRITERS
from inspector.core.skeleton.masking import Masker

LARGEST = 256 * 1024 * 1024
_REPORTS = {"report.txt": "text", "report.json": "json", "report.md": "markdown"}


def bundle(log: OpenLog, output: str, language: str = "en") -> int:
    """Write the bundle of a log; how many findings it yields, those of the log.

    A log of many files or rows becomes one file, as its agent exports it: its records keep their numbers, not their
    lines and offsets.
    Raises NotVerified where its skeleton yields others, ReadOnlyFormat for a log that has none, CannotWrite.
    """
    log.require_judged()
    source, original = log.source, check(log.report.log)
    if source.size > LARGEST:
        raise ReadOnlyFormat(f"{source.path} is larger than {LARGEST // 1024**2} MB: shorten it with `trim` first.")
    data = source.read(0, source.size)
    columns = original.log.columns
    spans = zip(columns.starts, columns.ends, columns.marks, strict=True)
    errors = [(start, end) for start, end, mark in spans if mark & Mark.API_ERROR]
    masker = Masker(data, original.format.signs, errors)
    stem, suffix = splitext(basename(source.path.removesuffix(".zst")) if source.path != "-" else "log.jsonl")
    suffix = ".json" if isinstance(source, Assembled) else suffix if suffix in (".json", ".jsonl") else ".log"
    name, skeleton = masker.name(f"{stem}{suffix}"), masker.masked(data)
    _require_same(original, skeleton, name)
    told = Told((Gathering().log(original, log.evidence()),))
    reports = {file: WRITERS[form](told, Wording(language)) for file, form in _REPORTS.items()}
    findings = sum(len(session.findings) for session in original.sessions)
    manifest = HEAD | {
        "log": name,
        "format": original.format.name,
        "bytes": len(skeleton),
        "sessions": len(original.sessions),
        "findings": findings,
        "content": "none: every text was replaced by other letters",
        "verified": "read again, it yields the findings of the original",
    }
    members = {name: skeleton, **reports, "manifest.json": f"{pretty(manifest)}\n".encode()}
    write_made(output, zipped(members), source)
    return findings


def _require_same(original: Report, skeleton: bytes, name: str) -> None:
    """Raises NotVerified unless a skeleton yields the findings of the original."""
    try:
        with Source.of_bytes(skeleton, name) as source:
            placed, reading = not isinstance(original.log.source, Assembled), Reading(deep=original.log.deep)
            same = _yields(check(open_log(source, reading=reading)), placed) == _yields(original, placed)
    except InspectorError:
        same = False
    if not same:
        raise NotVerified(
            "Without its content this log yields other findings than with it, so no bundle was written. "
            "Pass on the report alone: `check --format markdown`."
        )


def _yields(report: Report, placed: bool) -> list[Any]:
    """What must be the same: verdicts, counts, and of each finding its class, weight, record, place and repairs."""
    return [report.format.name] + [
        (
            session.verdict,
            (session.messages, session.calls, session.results, session.dangling, session.orphans),
            (session.on_resume.outcome, len(session.on_resume.loses), len(session.on_resume.answers)),
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
