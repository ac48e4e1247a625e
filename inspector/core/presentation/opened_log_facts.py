"""An overview of a log: what can be shown before the log is checked, or without checking it."""

from __future__ import annotations

from inspector.core.analysis.thread_context import CheckedThread, ThreadContext, pair_thread
from inspector.core.discovery.opening import multi_file_format_at, open_log
from inspector.core.errors import UnreadableLog
from inspector.core.formats import FORMATS, UNKNOWN_FORMAT, format_named, format_of_log
from inspector.core.formats.base.agent_behavior import RequestBuilder, save_modes_of
from inspector.core.formats.base.call_evidence import call_evidence_source_of
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.registry import UNREADABLE_RECORD, safe_view
from inspector.core.formats.base.writer import SAVE_MODES, Writer
from inspector.core.model.locations import no_record_has_own_line
from inspector.core.model.session import Log, Session
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.presentation.engine_results import OpenedLogFacts, OpenedLogView, SessionSummary
from inspector.core.presentation.outline_builder import build_outline
from inspector.core.providers.registry import profile_named
from inspector.core.repair.presets import PRESETS
from inspector.core.storage.archive_paths import is_archive
from inspector.core.storage.json_lines import is_zstd_file
from inspector.core.storage.source import Source
from inspector.core.translation import tr


def preview_log_start(path: str, limit: int = 65536) -> OpenedLogView:
    """Return what the first `limit` bytes of a log show, without findings. Raises UnreadableLog.

    A log that has to be assembled first cannot be previewed: it is shown when all of it has been read.
    """
    if multi_file_format_at(path) is not None or is_zstd_file(path) or is_archive(path):
        raise UnreadableLog(tr("{path} must be assembled from several files before it can be displayed.", path=path))
    with Source.open(path) as source:
        log = open_log(source, "", ReadOptions(limit=min(limit, source.size)))
        threads = [] if format_of_log(log) is UNKNOWN_FORMAT else [_paired(log, session) for session in log.sessions]
        outline, _ = build_outline(log, threads, [])
        return OpenedLogView(opened_log_facts(log, ()), (), (), outline, log.columns.starts, log.columns.ends)


def _paired(log: Log, session: Session) -> CheckedThread:
    """Pair the main thread of a session without checking it, for a log of which only the head was read."""
    format, profile = format_of_log(log), profile_named(session.profile)
    pairing = pair_thread(format, log.columns, session.main_thread, profile)
    return CheckedThread(
        ThreadContext(format, log.columns, log.raw, session, session.main_thread, pairing, profile, True), []
    )


def opened_log_facts(log: Log, sessions: tuple[SessionSummary, ...]) -> OpenedLogFacts:
    """Return the overview of a log as a whole."""
    format = format_of_log(log)
    modes = save_modes_of(format, log)
    refusals = [format.read_only_reason]
    if isinstance(format, Writer):
        refusals = [reason for mode in SAVE_MODES if (reason := format.save_refusal(log, mode))]
    return OpenedLogFacts(
        path=log.source.path,
        format=format.name,
        format_label=format.label,
        size=log.source.size,
        writable=bool(modes),
        why_read_only=" ".join(dict.fromkeys(refusals)),
        formats_to_choose=tuple(
            (format_to_choose.name, format_to_choose.label) for format_to_choose in FORMATS.values()
        ),
        presets=tuple((preset.name, preset.summary) for preset in PRESETS.values()),
        save_modes=modes,
        sessions=sessions,
        checks_skipped=(),
        bytes_at=log.source.bytes_path,
        has_lines=log.source.has_lines and not no_record_has_own_line(log),
        copy_name=log.source.copy_name,
        models_resume=isinstance(format, RequestBuilder),
        faults=tuple(log.all_faults),
        folder=working_folder(log),
        read_from=log.source.read_from,
    )


def working_folder(log: Log, session: int = 0) -> str:
    """Return the folder that the agent worked in as a session (by number) begins, "" where the log does not say."""
    path, format = log.sessions[session].main_thread.path if log.sessions else (), format_of_log(log)
    folders = call_evidence_source_of(format).folders_at(log.columns, [*path[:1]], log.raw).values()
    return next(iter(folders), "") or format.stored_folder(log, session)


def view_record(format_name: str, raw: bytes) -> RecordView:
    """Parse one record for display.

    Never raises: the summary of an unreadable record says so, or names what failed.
    """
    faults: list[str] = []
    view = safe_view(format_named(format_name), raw, faults)
    if view.summary != UNREADABLE_RECORD:
        return view
    text = raw.decode("utf-8", "backslashreplace")
    return RecordView("", " ".join(faults) or UNREADABLE_RECORD, (BlockView(BlockKind.OTHER, text, ""),))
