"""The list of what is wrong in the stores of a machine: indexes, sessions, and how much of each a resume would keep."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from inspector.core.check.check import Report, SessionReport, check
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.discovery.stores import agent_name, matches_agent_name
from inspector.core.doctor.machine import ExaminedSession, StoreOnMachine, examine_session, stores_on
from inspector.core.errors import InspectorError
from inspector.core.formats import FORMATS
from inspector.core.formats.base.agent_behavior import RequestBuilder
from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.format import Progress
from inspector.core.formats.base.session_stores import FaultEffect, StoredSession, StoreFault
from inspector.core.formats.base.stores import HostEnvironment
from inspector.core.model.columnar_index import RecordMark, Role
from inspector.core.translation import tr

# The newest logs are read to see what a resume keeps, as many as take a few seconds.
_READ_LOGS, _READ_BYTES = 60, 256 * 1024 * 1024
_FEWEST_MESSAGES, _SMALL_PART = 20, 0.5
_SPEAKERS = (Role.USER, Role.ASSISTANT, Role.TOOL)


class ExaminedStore(Struct, kw_only=True):
    """A store: how many sessions it has, what is wrong with its indexes, and the sessions with faults, worst first.

    `read` is the number of sessions that were read to see what a resume keeps.
    """

    agent: str
    format: str
    home: str
    seen: str
    sessions: int
    read: int
    faults: tuple[StoreFault, ...]
    troubled: list[ExaminedSession]


class StoresReport(Struct):
    """The stores that exist on a machine, and the named agents of which it is not known how they find sessions."""

    stores: list[ExaminedStore]
    unknown: list[str]

    @property
    def effect(self) -> FaultEffect:
        """The most harmful effect of all faults."""
        effects = [fault.effect for store in self.stores for fault in store.faults]
        effects += [session.effect for store in self.stores for session in store.troubled]
        return max(effects, default=FaultEffect.NOTE)


def examine_stores(machine: HostEnvironment, agent: str = "", progress: Progress | None = None) -> StoresReport:
    """Examine the stores of a machine, those of the agents that `agent` names."""
    stores = [_examined(place, machine, progress) for place in stores_on(machine, agent)]
    unknown = [
        agent_name(format)
        for format in FORMATS.values()
        if agent
        and format.stores
        and not format.session_store
        and matches_agent_name(format.name, agent_name(format), agent)
    ]
    return StoresReport(stores, unknown)


def _examined(place: StoreOnMachine, machine: HostEnvironment, progress: Progress | None) -> ExaminedStore:
    sessions = place.store.sessions(place.home)
    short = dict(_short_resumes(sessions, place.store.agent, progress))
    troubled = []
    for session in sessions:
        examined = examine_session(place, session, machine, short.get(session.id))
        if any(not fault.intended for fault in examined.faults):
            troubled.append(examined)
    return ExaminedStore(
        agent=place.store.agent,
        format=place.format,
        home=place.home,
        seen=place.store.seen,
        sessions=len(sessions),
        read=len(_newest(sessions)),
        faults=tuple(place.store.store_faults(place.home)),
        troubled=sorted(troubled, key=lambda each: -each.effect),
    )


def _newest(sessions: list[StoredSession]) -> list[str]:
    """Return the newest logs, as many as are read in a few seconds.

    A database that its agent has open is left out: reading it changes its -shm file.
    """
    states = {}
    for log in {session.log for session in sessions if session.log}:
        with suppress(OSError):
            if os.path.exists(f"{log}-shm"):
                continue
            states[log] = os.stat(log)
    chosen, size = [], 0
    for log, state in sorted(states.items(), key=lambda each: -each[1].st_mtime)[:_READ_LOGS]:
        size += state.st_size
        if size > _READ_BYTES:
            break
        chosen.append(log)
    return chosen


def _short_resumes(
    sessions: list[StoredSession], agent: str, progress: Progress | None
) -> Iterator[tuple[str, StoreFault]]:
    """Yield the sessions, by id, of which the agent would send little when it resumes them."""
    logs = _newest(sessions)
    by_log = {session.log: session.id for session in sessions}
    for number, log in enumerate(logs):
        if progress is not None:
            progress(number, len(logs))
        with suppress(InspectorError, OSError), open_source(log) as source:
            report = check(open_log(source))
            for session in report.sessions:
                kept, of = kept_messages(report, session)
                if of >= _FEWEST_MESSAGES and kept < of * _SMALL_PART:
                    session_id = session.session.id if len(report.sessions) > 1 else by_log[log]
                    yield session_id, _short_resume(agent, kept, of, log)


def _short_resume(agent: str, kept: int, of: int, log: str) -> StoreFault:
    return StoreFault(
        "short-resume",
        FaultEffect.LEFT_OUT,
        tr("On resume, {kept}% of the {of:,} messages are sent.", kept=round(100 * kept / of), of=of),
        tr("{agent} sends only messages that are linked to the newest record.", agent=agent),
        tr(
            "Before you continue, find out why messages are missing: {command}",
            command=shell_command("transcript-inspector", "check", log),
        ),
        opens_as_is=True,
    )


def kept_messages(report: Report, session: SessionReport) -> tuple[int, int]:
    """Return how many messages of a session its agent would send, and how many there are since the last compaction.

    (0, 0) where the request is not known. Messages of subagents and of other branches that a rewind left do not count.
    """
    if not isinstance(report.format, RequestBuilder) or not session.threads:
        return 0, 0
    columns, log = report.log.columns, report.log
    main = session.threads[0].context.thread
    side = {record for thread in session.session.threads if thread is not main for record in thread.path}
    request = report.format.build_request(session.session, columns, log.raw)
    if request.stop_reason:
        return 0, 0
    sent = {columns.record_of_block(block.row) for message in request.messages for block in message.blocks}
    compacted = [record for record in main.path if columns.marks[record] & RecordMark.COMPACTION]
    start = max(compacted, default=-1)
    said = [
        record
        for record in session.session.records
        if record > start and columns.roles[record] in _SPEAKERS and record not in side and columns.block_rows(record)
    ]
    return sum(record in sent for record in said), len(said)
