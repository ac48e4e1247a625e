"""Look up a pasted text in one log, or in the stores of this machine, the newest log first."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.discovery.stores import CandidateFile
from inspector.core.doctor.mentioned_sessions import MentionedSessions, find_sessions, mentions_in
from inspector.core.error_lookup.accepted_history import AcceptedHistory, accepted_histories
from inspector.core.error_lookup.locate import (
    Certainty,
    ErrorPlace,
    LocateErrorResult,
    locate_error,
    recorded_error_places,
)
from inspector.core.error_lookup.request_bodies import (
    SessionOfRequest,
    check_request_in_text,
    distinctive_strings,
    fingerprint_of,
    match_session,
)
from inspector.core.error_lookup.store_search import StoreSearchProgress, logs_containing
from inspector.core.errors import InspectorError, describe_error_origin
from inspector.core.formats.base.format import Progress
from inspector.core.formats.base.stores import HostEnvironment
from inspector.core.providers.error_kinds import FILE, MEDIA, OPAQUE, STORE, TOO_LONG, TOOL_REFERENCE
from inspector.core.providers.error_parser import ParsedErrorText, parse_error_text
from inspector.core.providers.registry import PROFILES, TEMPLATE_PROFILES
from inspector.core.report.context_window_usage import shortening_advice
from inspector.core.translation import tr

_MOST_SESSIONS = 3
# How many logs are judged at most where no bytes identify one: judging takes longer than a search for bytes.
_JUDGED_LOGS, _JUDGED_BYTES = 60, 256 * 1024 * 1024
_SHORTEST, _LONGEST = 12, 60


class LogMatch(Struct, frozen=True):
    """The result for one log. `match_reason` is named (the log was given), id, recorded, or fits.

    `recorded_places` are the places where the log itself keeps the error. `accepted` says of an error without a cause
    how far the history was certainly accepted. `context` are sentences on what fills the context window, and the
    command that shortens the log, for an error that it is too long.
    """

    path: str
    format: str
    verdict: str
    match_reason: str
    location: LocateErrorResult
    recorded_places: tuple[ErrorPlace, ...] = ()
    accepted: tuple[AcceptedHistory, ...] = ()
    context: tuple[str, ...] = ()

    @property
    def explains(self) -> bool:
        found = self.location.explains or bool(self.recorded_places) or bool(self.context)
        return found or any(history.explains for history in self.accepted)


class ErrorLookup(Struct, frozen=True):
    """The result of looking up a pasted text.

    `body` is the judged request that the text contains, and `matching_sessions` the sessions that begin with it.
    `search` is None when no store was searched. `in_stores` are the sessions that the text names, None where it was not
    looked for them.
    """

    pasted: ParsedErrorText
    logs: tuple[LogMatch, ...] = ()
    body: Report | None = None
    body_location: LocateErrorResult = LocateErrorResult()
    matching_sessions: tuple[SessionOfRequest, ...] = ()
    search: StoreSearchProgress | None = None
    in_stores: MentionedSessions | None = None

    @property
    def kind(self) -> str:
        """The kind of the error, a key of ERROR_KINDS, "" when it is not known. The words of a request say nothing."""
        if self.body is not None:
            return self.pasted.kind if self.pasted.explanation else ""
        if self.pasted.kind:
            return self.pasted.kind
        return STORE if self.in_stores is not None and self.in_stores.matches else ""

    @property
    def faults(self) -> list[str]:
        """What went wrong in formats with the pasted request and the sessions of this machine, a sentence each."""
        faults = [*(self.body.log.all_faults if self.body else ()), *(self.search.faults if self.search else ())]
        return list(dict.fromkeys(faults))

    @property
    def explains(self) -> bool:
        """Whether a log explains the error, or begins with the pasted request."""
        if self.in_stores is not None and self.in_stores.matches:
            return True
        return bool(self.matching_sessions) if self.body else any(log.explains for log in self.logs)

    @property
    def likely_logs(self) -> tuple[LogMatch, ...]:
        """The logs that the text may come from.

        A log without the cause of a known error does not count: it may be a repair of the one with the cause.
        """
        return tuple(log for log in self.logs if log.explains or not self.pasted.rules)

    @property
    def is_meaning_settled(self) -> bool:
        """Whether what is said of the error itself stays the same, whatever is found in further logs."""
        return self.explains or self.pasted.explanation is not None or not self.kind

    @property
    def body_findings(self) -> list[Finding]:
        """The errors and warnings in the pasted request itself."""
        sessions = self.body.sessions if self.body else []
        return [each for session in sessions for each in session.findings if each.severity > Severity.INFO]

    @property
    def is_understood(self) -> bool:
        """Whether something is known of the text: its wording, the log that it comes from, or the request in it.

        A text on a session that no store has is not understood, nor one that says no more than that it fails.
        """
        is_known_kind = self.pasted.kind not in ("", STORE, FILE, OPAQUE)
        return self.pasted.explanation is not None or is_known_kind or self.body is not None or self.explains


ShowAnswer = Callable[[ErrorLookup], None]


def look_up_in_log(text: str, report: Report) -> ErrorLookup:
    """Look up a pasted text in an open log."""
    pasted, body = parse_error_text(text), check_request_in_text(text)
    if body is None:
        return ErrorLookup(pasted, (_in_log(_as_refused(report, pasted), pasted, "named"),))
    match = match_session(fingerprint_of(body), report)
    return ErrorLookup(pasted, (), body, locate_error(body, pasted), (match,) if match else ())


def _as_refused(report: Report, pasted: ParsedErrorText) -> Report:
    """Return the report on a log for whoever said the pasted error, and with what the error alone shows."""
    template = pasted.profile if pasted.profile in TEMPLATE_PROFILES else ""
    if not template and pasted.kind not in (MEDIA, TOOL_REFERENCE):
        return report
    return check(report.log, template, error=pasted.text)


def look_up_in_logs(
    text: str,
    logs: list[CandidateFile],
    progress: Progress | None = None,
    machine: HostEnvironment | None = None,
    show: ShowAnswer | None = None,
) -> ErrorLookup:
    """Look up a pasted text in the sessions of a machine: `logs` are those of its stores, the newest first.

    `machine` is where the stores are asked for sessions that the text names; None asks none of them. `show` is called
    with the likely logs so far when one is found, because the others may take long to search.
    """
    pasted, body, search = parse_error_text(text), check_request_in_text(text), StoreSearchProgress()
    if body is not None:
        sessions = tuple(_sessions_of(body, logs, search, progress))
        return ErrorLookup(pasted, (), body, locate_error(body, pasted), sessions, search)
    in_stores = _in_stores(pasted, logs, machine) if machine is not None else None
    if in_stores is not None and (in_stores.matches or pasted.kind in (STORE, FILE)):
        search.of = search.logs = max(in_stores.sessions, len(logs))
        return ErrorLookup(pasted, search=search, in_stores=in_stores)
    for find_matches in (_logs_with_error, _logs_fitting_error):
        answer = ErrorLookup(pasted)
        for match in _first(find_matches(pasted, logs, search, progress)):
            answer = ErrorLookup(pasted, (*answer.logs, match))
            if show is not None and match in answer.likely_logs:
                show(ErrorLookup(pasted, answer.likely_logs))
        if answer.logs:
            others = (log for log in answer.logs if log not in answer.likely_logs)
            return ErrorLookup(pasted, (*answer.likely_logs, *others), search=search)
    return ErrorLookup(pasted, search=search)


def _in_stores(
    pasted: ParsedErrorText, logs: list[CandidateFile], machine: HostEnvironment
) -> MentionedSessions | None:
    """Return the sessions that a text names by id, path or name, None where it is about something else."""
    about_session = pasted.kind in (STORE, FILE)
    if not about_session and (pasted.kind or pasted.ids):
        return None
    mentions = mentions_in(pasted.text, about_session)
    if mentions.is_empty and not about_session:
        return None
    agent = pasted.kind_wording.agent if pasted.kind_wording else ""
    return find_sessions(mentions, machine, agent, logs)


def _first(found: Iterator[LogMatch]) -> Iterator[LogMatch]:
    """Yield the logs up to the first that explains the error, a few at most."""
    for number, log in enumerate(found, 1):
        yield log
        if number == _MOST_SESSIONS or (log.location.explains and not log.accepted):
            return


@contextmanager
def _judged(
    candidate: CandidateFile, search: StoreSearchProgress, pasted: ParsedErrorText | None = None
) -> Iterator[Report | None]:
    """Yield the report on a log of a store, None when it cannot be judged or the program fails on it.

    With `pasted` it is judged for whoever said that error.
    """
    with ExitStack() as stack:
        report = None
        try:
            source = stack.enter_context(open_source(candidate.path))
            report = check(open_log(source))
            report = report if pasted is None else _as_refused(report, pasted)
        except InspectorError:
            pass  # The error cannot come from this file: it is no log.
        except Exception as error:
            search.faults.append(
                tr(
                    "{path} could not be checked ({describe_error_origin}). Please report this error.",
                    path=candidate.path,
                    describe_error_origin=describe_error_origin(error),
                )
            )
        try:
            yield report
        finally:  # a caller that has found its log does not resume the generator
            faults = report.log.all_faults if report is not None else ()
            search.faults += (f"{candidate.path}: {fault}" for fault in faults)


def _in_log(report: Report, pasted: ParsedErrorText, why: str) -> LogMatch:
    recorded = tuple(recorded_error_places(report, pasted))
    location = locate_error(report, pasted)
    accepted = accepted_histories(report, pasted) if pasted.kind == OPAQUE else ()
    if accepted:
        location = _among_candidates(location, accepted)
    context = tuple(shortening_advice(report)) if pasted.kind == TOO_LONG else ()
    path, verdict = report.log.source.path, report.verdict.word
    return LogMatch(path, report.format.name, verdict, why, location, recorded, accepted, context)


def _among_candidates(location: LocateErrorResult, accepted: tuple[AcceptedHistory, ...]) -> LocateErrorResult:
    """Return the places without those that only the class of the error led to and that were accepted since."""
    candidates = {each.finding.id for history in accepted for each in history.candidates}
    places = tuple(
        place
        for place in location.places
        if place.certainty > Certainty.BY_CLASS or (place.finding is not None and place.finding.id in candidates)
    )
    return replace(location, places=places)


def _each_in(
    logs: Iterable[CandidateFile], pasted: ParsedErrorText, reason: str, search: StoreSearchProgress
) -> Iterator[tuple[Report, LogMatch]]:
    """Yield the report and the match of each log that can be judged."""
    for candidate in logs:
        with _judged(candidate, search, pasted) as report:
            if report is not None:
                yield report, _in_log(report, pasted, reason)


def _logs_with_error(
    pasted: ParsedErrorText, logs: list[CandidateFile], search: StoreSearchProgress, progress: Progress | None
) -> Iterator[LogMatch]:
    """Yield the logs in which a block has one of the ids, or else the logs that keep this very error.

    A log that only mentions the ids is skipped.
    """
    ids, words = {each.text for each in pasted.ids}, set(_words_of_record(pasted))
    hits = logs_containing(logs, sorted(ids | words), search, progress)
    if not ids:
        yield from _logs_recording_error((candidate for candidate, _ in hits), pasted, search)
        return
    with_words: list[CandidateFile] = []
    is_found = False
    for candidate, found in hits:
        for _, log in _each_in([candidate], pasted, "id", search) if not ids.isdisjoint(found) else ():
            if any(place.certainty == Certainty.BY_ID for place in log.location.places):
                is_found = True
                yield log
        if not words.isdisjoint(found):
            with_words.append(candidate)
    if not is_found:
        yield from _logs_recording_error(with_words, pasted, search)


def _logs_recording_error(
    candidates: Iterable[CandidateFile], pasted: ParsedErrorText, search: StoreSearchProgress
) -> Iterator[LogMatch]:
    for _, log in _each_in(candidates, pasted, "recorded", search):
        if log.recorded_places:
            yield log


def _logs_fitting_error(
    pasted: ParsedErrorText, logs: list[CandidateFile], search: StoreSearchProgress, progress: Progress | None
) -> Iterator[LogMatch]:
    """Yield the newest logs whose findings fit the error: its class, and its index where it names one."""
    # Where the error names an id that no log has, a log that fits its class would mislead.
    if (pasted.explanation is None and pasted.kind != OPAQUE) or pasted.ids:
        return
    for report, log in _each_in(_newest(logs, progress), pasted, "fits", search):
        at_index = any(place.certainty > Certainty.BY_CLASS for place in log.location.places)
        if _is_sent_to(report, pasted) and log.explains and (at_index or not pasted.references):
            yield log


def _newest(logs: list[CandidateFile], progress: Progress | None) -> Iterator[CandidateFile]:
    """Yield the newest logs, as many as are judged in a few seconds."""
    size = 0
    for number, candidate in enumerate(logs[:_JUDGED_LOGS]):
        size += candidate.size
        if size > _JUDGED_BYTES:
            return
        if progress is not None:
            progress(number, min(len(logs), _JUDGED_LOGS))
        yield candidate


def _is_sent_to(report: Report, pasted: ParsedErrorText) -> bool:
    """Return whether the log's agent talks to a provider of the kind that the error comes from."""
    speaker = PROFILES.get(pasted.profile)  # the history of any agent may go to a local server
    return speaker is None or any(
        PROFILES[session.session.profile].turn_rules == speaker.turn_rules for session in report.sessions
    )


def _sessions_of(
    body: Report, logs: list[CandidateFile], search: StoreSearchProgress, progress: Progress | None
) -> Iterator[SessionOfRequest]:
    fingerprint, number = fingerprint_of(body), 0
    for candidate, _ in logs_containing(logs, distinctive_strings(fingerprint), search, progress):
        with _judged(candidate, search) as report:
            match = match_session(fingerprint, report) if report is not None else None
            if match is not None:
                yield match
                number += 1
                if number == _MOST_SESSIONS or match.ids == match.all_ids > 0:
                    return


def _words_of_record(pasted: ParsedErrorText) -> list[str]:
    """Return texts one of which a log contains that keeps this error.

    An error of a known wording is only the same as another if both name the same ids: see `is_same_error`.
    """
    has_known_ids = pasted.explanation is not None and pasted.ids
    return [*pasted.request_ids, *([each.text for each in pasted.ids] if has_known_ids else _phrases(pasted))]


def _phrases(pasted: ParsedErrorText) -> list[str]:
    """Return the two longest pieces of the text that a log spells unescaped.

    Pieces of the error's known wording are preferred.
    """
    pieces = [piece.strip() for piece in re.split(r"[`\"'\\\r\n{}<>&…]+", pasted.text)]
    long_pieces = [piece[:_LONGEST] for piece in pieces if len(piece) >= _SHORTEST]
    known_wording = pasted.explanation.matched_words if pasted.explanation else ""
    known_pieces = [
        piece
        for piece in long_pieces
        if "".join(piece.split()).lower() in known_wording or _holds(piece, known_wording)
    ]
    return sorted(known_pieces or long_pieces, key=len)[-2:]


def _holds(piece: str, words: str) -> bool:
    return bool(words) and words in "".join(piece.split()).lower()
