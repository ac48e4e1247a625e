"""What the store doctor found, as lines of text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import asdict

from inspector.core.doctor.machine import ExaminedSession
from inspector.core.doctor.mentioned_sessions import MentionedSessions, SessionMatch
from inspector.core.doctor.store_examination import ExaminedStore, StoresReport
from inspector.core.formats.base.session_stores import CAUSES, FaultEffect, StoreFault
from inspector.core.formats.base.stores import with_tilde
from inspector.core.report.json import ReportDocument, encode_document
from inspector.core.report.sentences import one_line
from inspector.core.translation import tr, tr_plural

_LONGEST = 1000
_MOST_LISTED = 20
_HOW = {
    "id": tr("the text contains the session id"),
    "path": tr("the text contains the path of the session"),
    "name": tr("the text contains the session name"),
    "beginning": tr("the text contains only the beginning of the session id, but the agent requires the whole id"),
    "capitals": tr("the text contains the session id in uppercase, but the agent requires the spelling shown here"),
    "folder": tr("the text contains the project folder of the session"),
    "agent": tr("the text does not identify a session, but this session has a fault"),
}
_EffectWord: TypeAlias = Annotated[str, Meta(extra_json_schema={"enum": [effect.word for effect in FaultEffect]})]
_CauseWord: TypeAlias = Annotated[str, Meta(extra_json_schema={"enum": list(CAUSES)})]


def session_match_lines(match: SessionMatch) -> Iterator[str]:
    """Yield what is known of a session that a text names: where it is, what keeps the agent from it, the command."""
    examined = match.examined
    session = examined.session
    place = with_tilde(session.log) if session.log else tr("no log")
    yield f"{_line(place)} ({match.agent}): {_HOW[match.how]}"
    yield f"  Id: {_line(session.id)}"
    if session.folder:
        yield f"  Project: {_line(with_tilde(session.folder))}"
    for fault in (*match.store_faults, *examined.faults):
        yield from _fault_lines(fault)
    yield from _opening_lines(examined, match)


def _opening_lines(examined: ExaminedSession, match: SessionMatch) -> Iterator[str]:
    opening = examined.opening
    if not match.is_known_agent:
        yield tr("  Transcript Inspector cannot determine how {agent} finds its sessions.", agent=match.agent)
    elif not examined.faults and not match.store_faults:
        yield tr(
            "  {agent} can open this session. From another folder, {elsewhere}.",
            agent=match.agent,
            elsewhere=match.elsewhere,
        )
    if opening.warning:
        yield f"  Warning: {_line(opening.warning)}"
    after = opening.after_remedy or bool(match.store_faults)
    if opening.command:
        yield f"  {tr('After that, open the session') if after else tr('Open the session')}: {_line(opening.command)}"
    else:
        yield tr("  No command can open this session in its current state.")


def _fault_lines(fault: StoreFault) -> Iterator[str]:
    yield f"  {fault.cause} ({fault.effect.word}): {_line(fault.measured)}"
    yield tr("    Expected: {expected}", expected=_line(fault.expected))
    yield tr("    Remedy: {remedy}", remedy=_line(fault.remedy))


def _line(text: str) -> str:
    return one_line(text, _LONGEST)


def mentioned_sessions_lines(answer: MentionedSessions) -> Iterator[str]:
    """Yield the sessions that a text names, or that there are none."""
    for match in answer.matches:
        yield ""
        yield from session_match_lines(match)
    if not answer.matches:
        yield ""
        for fault in answer.store_faults:
            yield from _fault_lines(fault)
        stores = ", ".join(answer.stores) or tr("no agent")
        yield tr(
            "The text matches none of the {sessions:,} sessions on this machine (stores: {stores}).",
            sessions=answer.sessions,
            stores=stores,
        )


def has_trouble(report: StoresReport) -> bool:
    """Return whether anything was found that the person did not ask for."""
    return report.effect > FaultEffect.NOTE


def report_lines(report: StoresReport) -> Iterator[str]:
    """Yield the faults of all stores."""
    for name in report.unknown:
        yield tr(
            "The store of {name} was not examined, because Transcript Inspector does not know how {name} finds "
            "its sessions.",
            name=name,
        )
    if not report.stores and not report.unknown:
        yield tr("No agent stores on this machine can be examined.")
    for number, store in enumerate(report.stores):
        if number:
            yield ""
        yield from _store_lines(store)


def _store_lines(store: ExaminedStore) -> Iterator[str]:
    found = tr(
        "{sessions}, {number:,} with faults",
        sessions=tr_plural("{number:,} session", "{number:,} sessions", store.sessions),
        number=len(store.troubled),
    )
    yield f"{store.agent} ({_line(with_tilde(store.home))}): {found}"
    for fault in store.faults:
        yield from _fault_lines(fault)
    for examined in store.troubled[:_MOST_LISTED]:
        session = examined.session
        yield ""
        yield f"  {_line(session.id)}  {_line(with_tilde(session.log))}".rstrip()
        for fault in examined.faults:
            yield from (f"  {line}" for line in _fault_lines(fault))
        if examined.opening.warning:
            yield tr("    Warning: {warning}", warning=_line(examined.opening.warning))
        if examined.opening.command:
            label = tr("After that, open the session") if examined.opening.after_remedy else tr("Open the session")
            yield f"    {label}: {_line(examined.opening.command)}"
    if len(store.troubled) > _MOST_LISTED:
        yield ""
        yield tr(
            "  … and {number:,} more; --format json lists them all.",
            number=len(store.troubled) - _MOST_LISTED,
        )


class StoreFaultEntry(Struct, kw_only=True):
    """Something that keeps an agent from a session: what was measured, what the agent expects, and what helps.

    `intended`: the person asked for it, as for an archived session.
    """

    cause: _CauseWord
    effect: _EffectWord
    measured: str
    expected: str
    remedy: str
    intended: bool


class StoredSessionEntry(Struct, kw_only=True):
    """A session of a store. `path` is null where only an index knows it, `command` where no command opens it.

    `after_remedy`: the command opens it only after the remedies. `warning` is to be read before anything is run.
    """

    agent: str
    format: str
    id: str
    path: str | None
    project: str | None
    faults: list[StoreFaultEntry]
    command: str | None
    after_remedy: bool
    warning: str | None


class MentionedSessionEntry(StoredSessionEntry, kw_only=True):
    """A session of a store that a pasted text names, and how (`by`)."""

    by: Annotated[str, Meta(extra_json_schema={"enum": list(_HOW)})]


class StoreEntry(Struct, kw_only=True):
    """A store of an agent. `seen` are the versions of the agent that showed how it finds its sessions.

    `read` is the number of sessions that were read to see how much of them a resume keeps.
    """

    agent: str
    format: str
    folder: str
    seen: str
    sessions: int
    read: int
    faults: list[StoreFaultEntry]
    troubled: list[StoredSessionEntry]


class DoctorDocument(ReportDocument, kw_only=True):
    """The report of `doctor`. `unknown` are agents of which it is not known how they find their sessions."""

    stores: list[StoreEntry]
    unknown: list[str]


def report_json(report: StoresReport) -> bytes:
    """Return the faults of all stores as JSON."""
    return encode_document(DoctorDocument(stores=[_store(store) for store in report.stores], unknown=report.unknown))


def _store(store: ExaminedStore) -> StoreEntry:
    return StoreEntry(
        agent=store.agent,
        format=store.format,
        folder=store.home,
        seen=store.seen,
        sessions=store.sessions,
        read=store.read,
        faults=_faults(store.faults),
        troubled=[_session(examined) for examined in store.troubled],
    )


def _faults(faults: Iterable[StoreFault]) -> list[StoreFaultEntry]:
    return [
        StoreFaultEntry(
            cause=fault.cause,
            effect=fault.effect.word,
            measured=fault.measured,
            expected=fault.expected,
            remedy=fault.remedy,
            intended=fault.intended,
        )
        for fault in faults
    ]


def _session(examined: ExaminedSession) -> StoredSessionEntry:
    session, opening = examined.session, examined.opening
    return StoredSessionEntry(
        agent=session.agent,
        format=session.format,
        id=session.id,
        path=session.log or None,
        project=session.folder or None,
        faults=_faults(examined.faults),
        command=opening.command or None,
        after_remedy=opening.after_remedy,
        warning=opening.warning or None,
    )


def mentioned_session_entry(match: SessionMatch) -> MentionedSessionEntry:
    """Return a session that a pasted text names. The faults of its store that block it come first."""
    entry = MentionedSessionEntry(**asdict(_session(match.examined)), by=match.how)
    entry.faults = [*_faults(match.store_faults), *entry.faults]
    entry.after_remedy = entry.after_remedy or bool(match.store_faults)
    return entry
