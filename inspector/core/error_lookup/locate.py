"""Where in one judged log a pasted error comes from: by an id that it names, by an index, else by its class.

Merged; to be rewritten:
`naming`: Which blocks and records of a log a pasted text names by an id.
`numbering`: Where a provider's number of a message lies in a log: through folding, merging, and the system prompt.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from enum import IntEnum
from itertools import chain, count

from msgspec import Struct

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.analysis.thread import ThreadContext, pair_thread
from inspector.core.check.check import Report, SessionReport
from inspector.core.error_lookup.store_search import match_offsets
from inspector.core.model.columns import RecordMark, Role
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log, Session
from inspector.core.model.views import CALL_KINDS, BlockKind, RecordLocation
from inspector.core.providers.error_parser import MessageReference, ParsedErrorText, parse_error_text
from inspector.core.providers.profile import Profile
from inspector.core.providers.registry import PROFILES
from inspector.core.rules import RULES

# Which blocks and records of a log a pasted text names by an id.

# An id as long as this is no word: it is meant wherever it stands.
_NO_WORD = 7
_PART_OF_IDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)
_OF_RESULTS = frozenset("R1 R2 R4 R5 R6 R7 R8 R11 R12 C2 X2".split())


def mentions_id(pasted: ParsedErrorText, call_id: str) -> bool:
    """Whether a text names this id: as an id, or as a word of its own when it is no ordinary one."""
    return any(named.matches(call_id) for named in pasted.ids) or (
        len(call_id) >= _NO_WORD and _stands_in(pasted, call_id)
    )


def _stands_in(pasted: ParsedErrorText, call_id: str) -> bool:
    """Whether an id is a word of its own in the text, or was broken in two by a line end."""
    text, at = pasted.flat_text, pasted.flat_text.find(call_id)
    if at < 0:
        return call_id in pasted.text_without_spaces
    while at >= 0:
        end = at + len(call_id)
        if not {text[at - 1 : at], text[end : end + 1]} & _PART_OF_IDS:
            return True
        at = text.find(call_id, end)
    return False


def mentioned_blocks(session: SessionReport, pasted: ParsedErrorText) -> Iterator[tuple[ThreadContext, int, int, str]]:
    """(scene, record, ordinal, id) of one block for each id that is named: the call, or the result if it is about one.

    What lies on the path of a thread comes before what lies off it.
    """
    if not session.threads:
        return
    scene = session.threads[0].context
    columns, members = scene.columns, session.session.records
    low, high = columns.first_block[members.start], columns.first_block[members.stop]
    named = {each for each in set(columns.call_ids[low:high]) if each and mentions_id(pasted, each)}
    if not named:
        return
    preferred = _RESULTS if _OF_RESULTS.intersection(pasted.rules) else CALL_KINDS
    on_path = {record for judged in session.threads for record in judged.context.thread.path}
    best: dict[str, tuple[tuple[bool, bool], int, int]] = {}
    for row in range(low, high):
        call_id = columns.call_ids[row]
        if call_id in named:
            record = columns.record_of_block(row)
            rank = (record in on_path, columns.block_kinds[row] in preferred)
            if call_id not in best or rank > best[call_id][0]:
                best[call_id] = (rank, record, row - columns.first_block[record])
    for call_id, (_, record, ordinal) in sorted(best.items(), key=lambda each: each[1][1:]):
        yield scene, record, ordinal, call_id


def mentioned_records(log: Log, session: Session, pasted: ParsedErrorText) -> list[int]:
    """The first record of a session that has an id which is no call's: a reasoning item's, or a message's."""
    needles = [
        b'"' + named.text.encode(errors="replace") + (b"" if named.is_truncated else b'"') for named in pasted.ids
    ]
    for offset in match_offsets(log.source, needles) if needles else ():
        record = bisect_right(log.columns.starts, offset) - 1
        held = record in session.records and offset < log.columns.ends[record]
        if held and not log.columns.marks[record] & RecordMark.API_ERROR:
            return [record]
    return []


# Where a provider's number of a message lies in a log: through folding, merging, and the system prompt.
#
# A number is taken in every way that the log allows, the likeliest first, since neither the error nor the log tells how
# the agent counted: an agent whose system prompt is not in its log sends it as the first message of a chat API
# (`messages[0]`), and apart to the others; records that are no message (settings, notes) are counted by nobody.

_NOT_SENT = (Role.OPAQUE, Role.LINK)


class MessageNumbering(Struct):
    """One way of counting the messages of a thread: the number of each record of the path, -1 where it has none.

    `shift` is how many messages the provider saw before the first of them, `why` says which. `sent` has the positions
    on the path of each message where a record is several of them; its number is that of the first.
    """

    numbers: array[int]
    turns: array[int]
    shift: int = 0
    reason: str = ""
    sent: list[list[int]] = []

    @property
    def count(self) -> int:
        """How many messages the provider would see."""
        return (len(self.sent) or max(self.numbers, default=-1) + 1) + self.shift

    def positions(self, message: int) -> list[int]:
        """Where on the path a message of the provider stands, empty when it does not exist."""
        wanted = message - self.shift
        if self.sent:
            return self.sent[wanted] if 0 <= wanted < len(self.sent) else []
        return [at for at, number in enumerate(self.numbers) if number == wanted] if wanted >= 0 else []


def message_numberings(scene: ThreadContext, profile: Profile) -> list[MessageNumbering]:
    """The ways in which this provider may have counted the messages of a thread."""
    pairing = scene.pairing
    if profile.name != scene.profile.name:
        pairing = pair_thread(scene.format, scene.columns, scene.thread, profile)
    path, roles = scene.thread.path, scene.columns.roles
    if scene.format.is_provider_api:
        # The records are the elements of the very array that the provider counts.
        return [MessageNumbering(array("i", range(len(path))), pairing.turns)]
    number = count()
    told = array("i", [-1 if roles[record] in _NOT_SENT else next(number) for record in path])
    found = [MessageNumbering(pairing.messages, pairing.turns)]
    if sent := scene.number_messages_as_sent():
        found = [_as_sent(scene, sent)]
    elif not scene.format.merges_fragments and told != pairing.messages:
        found.insert(0, MessageNumbering(told, pairing.turns))
    if profile.counts_system_message and not any(roles[record] == Role.SYSTEM for record in path):
        why = "counting the system prompt, which the agent sends first"
        found = [MessageNumbering(each.numbers, each.turns, 1, why, each.sent) for each in found] + found
    return found


def _as_sent(scene: ThreadContext, sent: list[list[int]]) -> MessageNumbering:
    """Counted by the messages that go out, of which the records are given."""
    positions = [[scene.path_positions[record] for record in records] for records in sent]
    known = set(chain.from_iterable(sent))
    numbers = [scene.message_number(record) if record in known else -1 for record in scene.thread.path]
    return MessageNumbering(array("i", numbers), scene.pairing.turns, sent=positions)


def block_at(scene: ThreadContext, records: list[int], spot: MessageReference) -> tuple[int, int] | None:
    """Record and ordinal of the block that a spot names among the records of its message; None when there is none."""
    if spot.block < 0:
        return None
    blocks = list(_blocks(scene, records, BlockKind.CALL if spot.list_key == "tool_calls" else None))
    return blocks[spot.block] if spot.block < len(blocks) else None


def _blocks(scene: ThreadContext, records: list[int], only: BlockKind | None) -> Iterator[tuple[int, int]]:
    columns = scene.columns
    for record in records:
        for ordinal, row in enumerate(columns.block_rows(record)):
            if only is None or columns.block_kinds[row] == only:
                yield record, ordinal


_UNANSWERED = frozenset("D1 D2 D3 D4 D5 D7 C1 C3 G5 R3 R9".split())
_MOST = 20
_MIN_COMMON_LENGTH = 24


class Certainty(IntEnum):
    """How a place was found, the surest last."""

    BY_CLASS = 1
    BY_INDEX = 2
    BY_ID = 3

    @property
    def word(self) -> str:
        return ("", "class", "index", "id")[self]


class ErrorPlace(Struct, frozen=True, kw_only=True):
    """A place that a pasted error is about. `message` is the provider's number of it where an index led there.

    `finding` is what was found there, None when the place is all that the error tells.
    """

    certainty: Certainty
    session: str
    place: RecordLocation
    call_id: str = ""
    tool: str = ""
    message: int = -1
    finding: Finding | None = None


class ErrorLocation(Struct, frozen=True):
    """The places in one log, the surest alone, and sentences about what did not fit.

    `fits`: at a place that the error names stands what the error speaks of, be it only noted elsewhere.
    """

    places: tuple[ErrorPlace, ...] = ()
    remarks: tuple[str, ...] = ()
    fits: bool = False

    @property
    def explains(self) -> bool:
        """Whether something that is wrong was found at one of them."""
        found = (each.finding for each in self.places)
        return self.fits or any(finding is not None and finding.severity > Severity.INFO for finding in found)


def locate_error(report: Report, pasted: ParsedErrorText) -> ErrorLocation:
    """Where in this log the error comes from."""
    remarks: list[str] = []
    places = list(_by_id(report, pasted, remarks))
    if not places:
        places = list(_by_index(report, pasted, remarks))
    if not places:
        places = list(_by_class(report, pasted))
    once = {each.finding.id if each.finding else repr(each.place): each for each in places}
    named = (each.finding for each in places if each.certainty > Certainty.BY_CLASS)
    fits = any(finding is not None and finding.rule in pasted.rules for finding in named)
    return ErrorLocation(tuple(once.values())[:_MOST], tuple(dict.fromkeys(remarks)), fits)


def recorded_error_places(report: Report, pasted: ParsedErrorText) -> list[ErrorPlace]:
    """The records in which the log itself keeps this error, the newest first."""
    found = []
    for session, scene in _scenes(report):
        marks = scene.columns.marks
        if scene.columns.has_mark(RecordMark.API_ERROR):
            for record in reversed(scene.thread.path):
                if marks[record] & RecordMark.API_ERROR and is_same_error(
                    pasted, report.format.error_text(scene.raw(record))
                ):
                    place = place_of_record(report, record)
                    found.append(ErrorPlace(certainty=Certainty.BY_ID, session=session.session.id, place=place))
    return found


def is_same_error(pasted: ParsedErrorText, text: str) -> bool:
    """Whether a recorded error is the pasted one: by the request's id, by wording and places, or letter by letter."""
    other = parse_error_text(text)
    if pasted.request_ids and other.request_ids:
        return not set(pasted.request_ids).isdisjoint(other.request_ids)
    if pasted.explanation is not None and other.explanation is not None:
        same = pasted.explanation.matched_words == other.explanation.matched_words
        return same and pasted.ids == other.ids and _numbers(pasted) == _numbers(other)
    shorter, longer = sorted((pasted.text_without_spaces, other.text_without_spaces), key=len)
    return len(shorter) >= _MIN_COMMON_LENGTH and shorter in longer


def _numbers(pasted: ParsedErrorText) -> list[tuple[int, int]]:
    return [(spot.message, spot.block) for spot in pasted.references]


def _scenes(report: Report) -> Iterator[tuple[SessionReport, ThreadContext]]:
    for session in report.sessions:
        seen: set[int] = set()
        for judged in session.threads:
            if id(judged.context.thread) not in seen:
                seen.add(id(judged.context.thread))
                yield session, judged.context


def place_of_record(report: Report, record: int, pointer: str = "") -> RecordLocation:
    """The place of a record of an open log."""
    return Locator(report.log).locate(record, pointer)


def _of_finding(sure: Certainty, session: SessionReport, finding: Finding, message: int = -1) -> ErrorPlace:
    return ErrorPlace(
        certainty=sure,
        session=session.session.id,
        place=finding.place,
        call_id=finding.call_id or "",
        tool=finding.tool or "",
        message=message,
        finding=finding,
    )


# by id


def _by_id(report: Report, pasted: ParsedErrorText, remarks: list[str]) -> Iterator[ErrorPlace]:
    known = False
    for session in report.sessions:
        named = [each for each in session.findings if each.call_id and mentions_id(pasted, each.call_id)]
        fitting = [each for each in named if each.rule in pasted.rules] or named
        found = [_of_finding(Certainty.BY_ID, session, each) for each in _nearest(report, fitting, pasted)]
        found = found or list(_blocks_by_id(report, session, pasted, remarks))
        known = known or bool(found)
        yield from found
    if pasted.ids and not known:
        missing = ", ".join(named.text for named in pasted.ids[:3])
        remarks.append(f"{missing} does not occur in this log: the error may be another one's.")


def _blocks_by_id(
    report: Report, session: SessionReport, pasted: ParsedErrorText, remarks: list[str]
) -> Iterator[ErrorPlace]:
    """The blocks, else the record, that an id names although nothing is wrong with them."""
    blocks = list(mentioned_blocks(session, pasted))
    for scene, record, ordinal, call_id in blocks:
        row = scene.columns.first_block[record] + ordinal
        yield ErrorPlace(
            certainty=Certainty.BY_ID,
            session=session.session.id,
            place=place_of_record(report, record, scene.format.pointer(scene.columns, record, ordinal)),
            call_id=call_id,
            tool=scene.columns.names[row] or "",
        )
    if blocks:
        remarks.append(
            f"{blocks[0][3]} is in this log, and nothing that the error says is wrong with it now: "
            "the log may have been repaired since, or what was sent differed from it."
        )
    for record in () if blocks or not session.threads else mentioned_records(report.log, session.session, pasted):
        yield ErrorPlace(certainty=Certainty.BY_ID, session=session.session.id, place=place_of_record(report, record))


def _nearest(report: Report, findings: list[Finding], pasted: ParsedErrorText) -> list[Finding]:
    """Of several findings with the ids that are named (a reused id, say) those where the index points, if any are."""
    if len(findings) < 2 or not pasted.references:
        return findings
    pointed = [located.finding for located in _by_index(report, pasted, []) if located.finding in findings]
    return [finding for finding in pointed if finding is not None] or findings


# by index


def _by_index(report: Report, pasted: ParsedErrorText, remarks: list[str]) -> Iterator[ErrorPlace]:
    for spot in pasted.references:
        found: list[ErrorPlace] = []
        alone: list[ErrorPlace] = []
        missing: list[str] = []
        for session, scene in _scenes(report):
            ways = message_numberings(scene, PROFILES.get(pasted.profile, scene.profile))
            pointed = [_at_spot(session, scene, way, spot, pasted) for way in ways]
            nearest = max((how_near for how_near, _ in pointed), default=0)
            if not nearest:
                alone += _place_without_finding(report, session, scene, ways, spot, missing)
            for way, (how_near, findings) in zip(ways, pointed, strict=True):
                if how_near == nearest > 0:
                    found += [_of_finding(Certainty.BY_INDEX, session, finding, spot.message) for finding in findings]
                    remarks += [f"Message {spot.message} was taken {way.reason}."] if way.shift else []
            if found:
                break
        if not found and alone:
            remarks.append(f"Nothing that fits the error was found at {spot.text}.")
        if not found and not alone:
            remarks += missing[:1]
        yield from found or alone


def _at_spot(
    session: SessionReport, scene: ThreadContext, way: MessageNumbering, spot: MessageReference, pasted: ParsedErrorText
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


def _place_without_finding(
    report: Report,
    session: SessionReport,
    scene: ThreadContext,
    ways: list[MessageNumbering],
    spot: MessageReference,
    missing: list[str],
) -> Iterator[ErrorPlace]:
    """The place of a spot where nothing was found: the message in the first way of counting in which it exists."""
    if scene.thread.is_side:
        return
    for way in ways:
        positions = way.positions(spot.message)
        if not positions:
            continue
        records = [scene.thread.path[at] for at in positions]
        block = block_at(scene, records, spot)
        record, pointer = (block[0], scene.format.pointer(scene.columns, *block)) if block else (records[0], "")
        call_id = scene.columns.call_ids[scene.columns.first_block[record] + block[1]] if block else ""
        place = place_of_record(report, record, pointer)
        identity = session.session.id
        yield ErrorPlace(
            certainty=Certainty.BY_INDEX, session=identity, place=place, call_id=call_id or "", message=spot.message
        )
        return
    many = f"{ways[0].count} message{'s' * (ways[0].count != 1)}"
    missing.append(
        f"Message {spot.message} does not exist: the history has {many}, counted from 0. It was longer when the "
        "error came (a compaction or a repair shortened it), or the error is another session's."
    )


# by class


def _by_class(report: Report, pasted: ParsedErrorText) -> Iterator[ErrorPlace]:
    """The findings of the classes that the error stands for: errors and warnings, or where there are none, notes."""
    for is_wanted in (_matters, _is_of_history):
        found = [
            _of_finding(Certainty.BY_CLASS, session, finding)
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
