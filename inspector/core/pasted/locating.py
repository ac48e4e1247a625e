"""Where in one judged log a pasted error comes from: by an id that it names, by an index, else by its class."""

from collections.abc import Iterator
from enum import IntEnum

from msgspec import Struct

from inspector.core.index.columns import Mark
from inspector.core.index.place import Place
from inspector.core.judging.check import Report, SessionReport
from inspector.core.judging.places import Places
from inspector.core.known_texts.provider_errors.reading import Pasted, Spot, read
from inspector.core.pasted.naming import blocks_named, is_named, records_naming
from inspector.core.pasted.numbering import Counting, block_at, countings
from inspector.core.profiles import PROFILES
from inspector.core.rules import RULES
from inspector.core.scene import Scene
from inspector.core.scene.finding import Finding, Severity

_UNANSWERED = frozenset("D1 D2 D3 D4 D5 D7 C1 C3 G5 R3 R9".split())
_MOST = 20
_LEAST_SAME = 24


class Sure(IntEnum):
    """How a place was found, the surest last."""

    BY_CLASS = 1
    BY_INDEX = 2
    BY_ID = 3

    @property
    def word(self) -> str:
        return ("", "class", "index", "id")[self]


class Located(Struct, frozen=True, kw_only=True):
    """A place that a pasted error is about. `message` is the provider's number of it where an index led there.

    `finding` is what was found there, None when the place is all that the error tells.
    """

    sure: Sure
    session: str
    place: Place
    call_id: str = ""
    tool: str = ""
    message: int = -1
    finding: Finding | None = None


class Location(Struct, frozen=True):
    """The places in one log, the surest alone, and sentences about what did not fit.

    `fits`: at a place that the error names stands what the error speaks of, be it only noted elsewhere.
    """

    places: tuple[Located, ...] = ()
    remarks: tuple[str, ...] = ()
    fits: bool = False

    @property
    def explains(self) -> bool:
        """Whether something that is wrong was found at one of them."""
        found = (each.finding for each in self.places)
        return self.fits or any(finding is not None and finding.severity > Severity.INFO for finding in found)


def locate(report: Report, pasted: Pasted) -> Location:
    """Where in this log the error comes from."""
    remarks: list[str] = []
    places = list(_by_id(report, pasted, remarks))
    if not places:
        places = list(_by_index(report, pasted, remarks))
    if not places:
        places = list(_by_class(report, pasted))
    once = {each.finding.id if each.finding else repr(each.place): each for each in places}
    named = (each.finding for each in places if each.sure > Sure.BY_CLASS)
    fits = any(finding is not None and finding.rule in pasted.rules for finding in named)
    return Location(tuple(once.values())[:_MOST], tuple(dict.fromkeys(remarks)), fits)


def recorded_at(report: Report, pasted: Pasted) -> list[Located]:
    """The records in which the log itself keeps this error, the newest first."""
    found = []
    for session, scene in _scenes(report):
        marks = scene.columns.marks
        if scene.columns.any_marked(Mark.API_ERROR):
            for record in reversed(scene.thread.path):
                if marks[record] & Mark.API_ERROR and is_same(pasted, report.format.error_text(scene.raw(record))):
                    place = place_in(report, record)
                    found.append(Located(sure=Sure.BY_ID, session=session.session.id, place=place))
    return found


def is_same(pasted: Pasted, text: str) -> bool:
    """Whether a recorded error is the pasted one: by the request's id, by wording and places, or letter by letter."""
    other = read(text)
    if pasted.requests and other.requests:
        return not set(pasted.requests).isdisjoint(other.requests)
    if pasted.meaning is not None and other.meaning is not None:
        same = pasted.meaning.words == other.meaning.words
        return same and pasted.ids == other.ids and _numbers(pasted) == _numbers(other)
    shorter, longer = sorted((pasted.narrow, other.narrow), key=len)
    return len(shorter) >= _LEAST_SAME and shorter in longer


def _numbers(pasted: Pasted) -> list[tuple[int, int]]:
    return [(spot.message, spot.block) for spot in pasted.spots]


def _scenes(report: Report) -> Iterator[tuple[SessionReport, Scene]]:
    for session in report.sessions:
        seen: set[int] = set()
        for judged in session.threads:
            if id(judged.scene.thread) not in seen:
                seen.add(id(judged.scene.thread))
                yield session, judged.scene


def place_in(report: Report, record: int, pointer: str = "") -> Place:
    """The place of a record of an open log."""
    return Places(report.log).of(record, pointer)


def _of_finding(sure: Sure, session: SessionReport, finding: Finding, message: int = -1) -> Located:
    return Located(
        sure=sure,
        session=session.session.id,
        place=finding.place,
        call_id=finding.call_id or "",
        tool=finding.tool or "",
        message=message,
        finding=finding,
    )


# by id


def _by_id(report: Report, pasted: Pasted, remarks: list[str]) -> Iterator[Located]:
    known = False
    for session in report.sessions:
        named = [each for each in session.findings if each.call_id and is_named(pasted, each.call_id)]
        fitting = [each for each in named if each.rule in pasted.rules] or named
        found = [_of_finding(Sure.BY_ID, session, each) for each in _nearest(report, fitting, pasted)]
        found = found or list(_blocks_by_id(report, session, pasted, remarks))
        known = known or bool(found)
        yield from found
    if pasted.ids and not known:
        missing = ", ".join(named.text for named in pasted.ids[:3])
        remarks.append(f"{missing} does not occur in this log: the error may be another one's.")


def _blocks_by_id(report: Report, session: SessionReport, pasted: Pasted, remarks: list[str]) -> Iterator[Located]:
    """The blocks, else the record, that an id names although nothing is wrong with them."""
    blocks = list(blocks_named(session, pasted))
    for scene, record, ordinal, call_id in blocks:
        row = scene.columns.first[record] + ordinal
        yield Located(
            sure=Sure.BY_ID,
            session=session.session.id,
            place=place_in(report, record, scene.format.pointer(scene.columns, record, ordinal)),
            call_id=call_id,
            tool=scene.columns.names[row] or "",
        )
    if blocks:
        remarks.append(
            f"{blocks[0][3]} is in this log, and nothing that the error says is wrong with it now: "
            "the log may have been repaired since, or what was sent differed from it."
        )
    for record in () if blocks or not session.threads else records_naming(report.log, session.session, pasted):
        yield Located(sure=Sure.BY_ID, session=session.session.id, place=place_in(report, record))


def _nearest(report: Report, findings: list[Finding], pasted: Pasted) -> list[Finding]:
    """Of several findings with the ids that are named (a reused id, say) those where the index points, if any are."""
    if len(findings) < 2 or not pasted.spots:
        return findings
    pointed = [located.finding for located in _by_index(report, pasted, []) if located.finding in findings]
    return [finding for finding in pointed if finding is not None] or findings


# by index


def _by_index(report: Report, pasted: Pasted, remarks: list[str]) -> Iterator[Located]:
    for spot in pasted.spots:
        found: list[Located] = []
        alone: list[Located] = []
        missing: list[str] = []
        for session, scene in _scenes(report):
            ways = countings(scene, PROFILES.get(pasted.profile, scene.profile))
            pointed = [_at_spot(session, scene, way, spot, pasted) for way in ways]
            nearest = max((how_near for how_near, _ in pointed), default=0)
            if not nearest:
                alone += _alone(report, session, scene, ways, spot, missing)
            for way, (how_near, findings) in zip(ways, pointed, strict=True):
                if how_near == nearest > 0:
                    found += [_of_finding(Sure.BY_INDEX, session, finding, spot.message) for finding in findings]
                    remarks += [f"Message {spot.message} was taken {way.why}."] if way.shift else []
            if found:
                break
        if not found and alone:
            remarks.append(f"Nothing that fits the error was found at {spot.text}.")
        if not found and not alone:
            remarks += missing[:1]
        yield from found or alone


def _at_spot(
    session: SessionReport, scene: Scene, way: Counting, spot: Spot, pasted: Pasted
) -> tuple[int, list[Finding]]:
    """The fitting findings where a spot points, by one counting: at the block (3), in the message (2), before it (1).

    Providers name the message behind an unanswered call as often as the call's own (`messages.[3].role` of OpenAI,
    `messages.2.content` of Bedrock), also where that message is not there yet.
    """
    fitting = [finding for finding in session.findings if finding.rule in pasted.rules]
    positions = way.positions(spot.message)
    if not fitting or (not positions and spot.message != way.count):
        return 0, []
    path = scene.thread.path
    at_record = {record: at for at, record in enumerate(path)}
    block = block_at(scene, [path[at] for at in positions], spot)
    pointer = scene.format.pointer(scene.columns, *block) if block else ""
    inside = [finding for finding in fitting if at_record.get(finding.place.record, -1) in positions]
    exact = [each for each in inside if block and (each.place.record, each.place.pointer) == (block[0], pointer)]
    if inside:
        return (3, exact) if exact else (2, inside)
    last = positions[-1] if positions else len(path)
    turn = way.turns[positions[0]] if positions else max(way.turns, default=0) + 1
    before = [
        (at, finding)
        for finding in fitting
        if finding.rule in _UNANSWERED
        and 0 <= (at := at_record.get(finding.place.record, -1)) <= last
        and turn - way.turns[at] in (0, 1, 2)
    ]
    nearest = max((at for at, _ in before), default=-1)
    found = [finding for at, finding in before if way.numbers[at] == way.numbers[nearest]]
    return (1, found) if found else (0, [])


def _alone(
    report: Report, session: SessionReport, scene: Scene, ways: list[Counting], spot: Spot, missing: list[str]
) -> Iterator[Located]:
    """The place of a spot where nothing was found: the message in the first way of counting in which it exists."""
    if scene.thread.side:
        return
    for way in ways:
        positions = way.positions(spot.message)
        if not positions:
            continue
        records = [scene.thread.path[at] for at in positions]
        block = block_at(scene, records, spot)
        record, pointer = (block[0], scene.format.pointer(scene.columns, *block)) if block else (records[0], "")
        call_id = scene.columns.call_ids[scene.columns.first[record] + block[1]] if block else ""
        place = place_in(report, record, pointer)
        identity = session.session.id
        yield Located(sure=Sure.BY_INDEX, session=identity, place=place, call_id=call_id or "", message=spot.message)
        return
    many = f"{ways[0].count} message{'s' * (ways[0].count != 1)}"
    missing.append(
        f"Message {spot.message} does not exist: the history has {many}, counted from 0. It was longer when the "
        "error came (a compaction or a repair shortened it), or the error is another session's."
    )


# by class


def _by_class(report: Report, pasted: Pasted) -> Iterator[Located]:
    """The findings of the classes that the error stands for: errors and warnings, or where there are none, notes."""
    for is_wanted in (_matters, _is_of_history):
        found = [
            _of_finding(Sure.BY_CLASS, session, finding)
            for session in report.sessions
            for finding in session.findings
            if finding.rule in pasted.rules and is_wanted(finding)
        ]
        if found:
            yield from found
            return


def _matters(finding: Finding) -> bool:
    return finding.severity > Severity.INFO


def _is_of_history(finding: Finding) -> bool:
    """Whether a finding is about the history, and not about a recorded error alone."""
    return not RULES[finding.rule].of_error
