"""What there is to say about a pasted text: in one log, or about the stores of this machine, the newest log first."""

import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from msgspec import Struct

from inspector.core.errors import InspectorError, raised_at
from inspector.core.formats.bases.reading import Progress
from inspector.core.judging.check import Report, check
from inspector.core.known_texts.provider_errors.reading import Pasted, read
from inspector.core.opening.opening import open_log, open_source
from inspector.core.pasted.bodies import BodyMatch, body_in, matched, needles_of, print_of
from inspector.core.pasted.locating import Located, Location, Sure, locate, recorded_at
from inspector.core.pasted.seeking import Search, logs_holding
from inspector.core.profiles import PROFILES
from inspector.core.scene.finding import Finding, Severity
from inspector.core.stores.found import Found

_MOST_SESSIONS = 3
# How many logs are judged at most where no bytes tell which: judging takes longer than looking for bytes.
_JUDGED_LOGS, _JUDGED_BYTES = 60, 256 * 1024 * 1024
_SHORTEST, _LONGEST = 12, 60


class InLog(Struct, frozen=True):
    """What was found in one log. `why`: named (the log was given), id, recorded, or fits; `recorded` are the places
    in which the log itself keeps the error.
    """

    path: str
    format: str
    verdict: str
    why: str
    location: Location
    recorded: tuple[Located, ...] = ()

    @property
    def explains(self) -> bool:
        return self.location.explains or bool(self.recorded)


class Answer(Struct, frozen=True):
    """Everything about a pasted text.

    `body` is the request that it holds, judged, `bodies` the sessions that it begins; `search` is None when no store
    was looked through.
    """

    pasted: Pasted
    logs: tuple[InLog, ...] = ()
    body: Report | None = None
    in_body: Location = Location()
    bodies: tuple[BodyMatch, ...] = ()
    search: Search | None = None

    @property
    def faults(self) -> list[str]:
        """What went wrong in formats over the pasted request and the sessions of this machine, a sentence each."""
        found = [*(self.body.log.failed if self.body else ()), *(self.search.faults if self.search else ())]
        return list(dict.fromkeys(found))

    @property
    def explains(self) -> bool:
        """Whether a log explains the error, or begins with the pasted request."""
        return bool(self.bodies) if self.body else any(log.explains for log in self.logs)

    @property
    def wrong_in_body(self) -> list[Finding]:
        """What is wrong in the pasted request itself."""
        sessions = self.body.sessions if self.body else []
        return [each for session in sessions for each in session.findings if each.severity > Severity.INFO]

    @property
    def is_understood(self) -> bool:
        """Whether something is known of the text: its wording, the log that it is from, or the request in it."""
        return self.pasted.meaning is not None or self.body is not None or any(log.explains for log in self.logs)


def answer_in(text: str, report: Report) -> Answer:
    """What a pasted text has to do with an open log."""
    pasted, body = read(text), body_in(text)
    if body is None:
        return Answer(pasted, (_in_log(report, pasted, "named"),))
    match = matched(print_of(body), report)
    return Answer(pasted, (), body, locate(body, pasted), (match,) if match else ())


def answer_on(text: str, logs: list[Found], progress: Progress | None = None) -> Answer:
    """What a pasted text has to do with the sessions of a machine: `logs` are those of its stores, the newest first."""
    pasted, body, search = read(text), body_in(text), Search()
    if body is not None:
        found = tuple(_sessions_of(body, logs, search, progress))
        return Answer(pasted, (), body, locate(body, pasted), found, search)
    for looked in (_named, _recording, _fitting):
        in_logs = tuple(_first(looked(pasted, logs, search, progress)))
        if in_logs:
            return Answer(pasted, in_logs, search=search)
    return Answer(pasted, search=search)


def _first(found: Iterator[InLog]) -> Iterator[InLog]:
    """The logs up to the first that explains the error, a few at most."""
    for number, log in enumerate(found, 1):
        yield log
        if number == _MOST_SESSIONS or log.location.explains:
            return


@contextmanager
def _judged(found: Found, search: Search) -> Iterator[Report | None]:
    """A log of a store, judged; None when it cannot be, or the program fails over it."""
    with ExitStack() as stack:
        report = None
        try:
            source = stack.enter_context(open_source(found.path))
            report = check(open_log(source))
        except InspectorError:
            pass  # It is no log that an error could be from.
        except Exception as error:
            search.faults.append(f"{found.path} could not be judged ({raised_at(error)}). Please report this.")
        try:
            yield report
        finally:  # who has found what is looked for does not come back
            failed = report.log.failed if report is not None else ()
            search.faults += (f"{found.path}: {fault}" for fault in failed)


def _in_log(report: Report, pasted: Pasted, why: str) -> InLog:
    recorded = tuple(recorded_at(report, pasted))
    location = locate(report, pasted)
    return InLog(report.log.source.path, report.format.name, report.verdict.word, why, location, recorded)


def _each_in(logs: Iterable[Found], pasted: Pasted, why: str, search: Search) -> Iterator[tuple[Report, InLog]]:
    """What the text has to do with each log that can be judged."""
    for found in logs:
        with _judged(found, search) as report:
            if report is not None:
                yield report, _in_log(report, pasted, why)


def _named(pasted: Pasted, logs: list[Found], search: Search, progress: Progress | None) -> Iterator[InLog]:
    """The logs in which a block has one of the ids; one that merely speaks of them is passed over."""
    holding = logs_holding(logs, [each.text for each in pasted.ids], search, progress)
    for _, log in _each_in(holding, pasted, "id", search):
        if any(place.sure == Sure.BY_ID for place in log.location.places):
            yield log


def _recording(pasted: Pasted, logs: list[Found], search: Search, progress: Progress | None) -> Iterator[InLog]:
    """The logs that keep this very error."""
    again = Search()
    holding = logs_holding(logs, [*pasted.requests, *_phrases(pasted)], again, progress)
    for _, log in _each_in(holding, pasted, "recorded", search):
        if log.recorded:
            yield log
    _note(search, again)


def _fitting(pasted: Pasted, logs: list[Found], search: Search, progress: Progress | None) -> Iterator[InLog]:
    """The newest logs in which what is wrong fits the error: its class, and its index where it names one."""
    # Where an id is named that no log has, what fits in a log would mislead.
    if pasted.meaning is None or pasted.ids:
        return
    for report, log in _each_in(_newest(logs, progress), pasted, "fits", search):
        at_index = any(place.sure > Sure.BY_CLASS for place in log.location.places)
        if _is_sent_to(report, pasted) and log.location.explains and (at_index or not pasted.spots):
            yield log


def _newest(logs: list[Found], progress: Progress | None) -> Iterator[Found]:
    """The newest logs, as many as are judged in a few seconds."""
    size = 0
    for number, found in enumerate(logs[:_JUDGED_LOGS]):
        size += found.size
        if size > _JUDGED_BYTES:
            return
        if progress is not None:
            progress(number, min(len(logs), _JUDGED_LOGS))
        yield found


def _is_sent_to(report: Report, pasted: Pasted) -> bool:
    """Whether the agent whose log it is speaks with a provider of the kind that the error is from."""
    speaker = PROFILES.get(pasted.profile)
    return speaker is None or any(
        PROFILES[session.session.profile].reading == speaker.reading for session in report.sessions
    )


def _sessions_of(body: Report, logs: list[Found], search: Search, progress: Progress | None) -> Iterator[BodyMatch]:
    known, number = print_of(body), 0
    for found in logs_holding(logs, needles_of(known), search, progress):
        with _judged(found, search) as report:
            match = matched(known, report) if report is not None else None
            if match is not None:
                yield match
                number += 1
                if number == _MOST_SESSIONS or match.ids == match.all_ids > 0:
                    return


def _phrases(pasted: Pasted) -> list[str]:
    """The two longest pieces of the text that a log spells as they are, of its known wording if that has any."""
    pieces = [piece.strip() for piece in re.split(r"[`\"'\\\r\n{}<>&…]+", pasted.text)]
    long = [piece[:_LONGEST] for piece in pieces if len(piece) >= _SHORTEST]
    words = pasted.meaning.words if pasted.meaning else ""
    telling = [piece for piece in long if "".join(piece.split()).lower() in words or _holds(piece, words)]
    return sorted(telling or long, key=len)[-2:]


def _holds(piece: str, words: str) -> bool:
    return bool(words) and words in "".join(piece.split()).lower()


def _note(search: Search, again: Search) -> None:
    """Count a second search as one with the first, since it looks at the same logs once more."""
    for name in ("logs", "of", "unread", "size"):
        setattr(search, name, max(getattr(search, name), getattr(again, name)))
