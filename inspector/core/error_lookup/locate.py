"""Locate a pasted error in one judged log: by an id that it names, by an index, or else by its class.

An error's message number is taken in every way that the log allows, the likeliest first, because neither the error nor
the log says how the agent counted. An agent whose system prompt is not in its log sends it as the first message of a
chat API (`messages[0]`), and separately to other providers. Records that are no message (settings, notes) are never
counted.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from enum import IntEnum
from itertools import chain, count

from msgspec import Struct

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.analysis.thread_context import ThreadContext, pair_thread
from inspector.core.check.check import Report, SessionReport
from inspector.core.error_lookup.store_search import match_offsets
from inspector.core.model.columnar_index import RecordMark, Role
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log, Session
from inspector.core.model.views import CALL_KINDS, BlockKind, RecordLocation
from inspector.core.providers.error_parser import MessageReference, ParsedErrorText, parse_error_text
from inspector.core.providers.profile import UNANSWERED_CALL_RULES, Profile
from inspector.core.providers.registry import PROFILES
from inspector.core.rules import RULES
from inspector.core.translation import tr, tr_plural

# An id of this length is no ordinary word, so it is recognised anywhere in the text.
_NO_WORD = 7
_PART_OF_IDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)
_OF_RESULTS = frozenset("R1 R2 R4 R5 R6 R7 R8 R11 R12 C2 X2".split())

_NOT_SENT = (Role.OPAQUE, Role.LINK)
_UNANSWERED = frozenset({*UNANSWERED_CALL_RULES, "C1", "C3", "G5", "R3", "R9"})
_MOST = 20
_MIN_COMMON_LENGTH = 24


class Certainty(IntEnum):
    """How a place was found, in rising order of certainty."""

    BY_CLASS = 1
    BY_INDEX = 2
    BY_ID = 3

    @property
    def word(self) -> str:
        return self.name.removeprefix("BY_").lower()


class ErrorPlace(Struct, frozen=True, kw_only=True):
    """A place that a pasted error is about. `message` is the provider's number where an index led there, else -1.

    `finding` is the finding at that place, None when there is none.
    """

    certainty: Certainty
    session: str
    place: RecordLocation
    call_id: str = ""
    tool: str = ""
    message: int = -1
    finding: Finding | None = None


class LocateErrorResult(Struct, frozen=True):
    """The places in one log, only those of the highest certainty, and sentences about what did not fit.

    `fits` says whether the log has what the error describes at a place that the error names, even if only as a note.
    """

    places: tuple[ErrorPlace, ...] = ()
    remarks: tuple[str, ...] = ()
    fits: bool = False

    @property
    def explains(self) -> bool:
        """Whether an error or a warning was found at one of the places."""
        found = (each.finding for each in self.places)
        return self.fits or any(finding is not None and finding.severity > Severity.INFO for finding in found)


def locate_error(report: Report, pasted: ParsedErrorText) -> LocateErrorResult:
    """Return where in this log the error comes from."""
    remarks: list[str] = []
    places = list(_by_id(report, pasted, remarks))
    if not places:
        places = list(_by_index(report, pasted, remarks))
    if not places:
        places = list(_by_class(report, pasted))
    unique = {each.finding.id if each.finding else repr(each.place): each for each in places}
    named_findings = (each.finding for each in places if each.certainty > Certainty.BY_CLASS)
    fits = any(finding is not None and finding.rule in pasted.rules for finding in named_findings)
    return LocateErrorResult(tuple(unique.values())[:_MOST], tuple(dict.fromkeys(remarks)), fits)


def recorded_error_places(report: Report, pasted: ParsedErrorText) -> list[ErrorPlace]:
    """Return the places of the records in which the log itself keeps this error, the newest first."""
    places = []
    for session, context in threads_with_sessions(report):
        marks = context.columns.marks
        if context.columns.has_mark(RecordMark.API_ERROR):
            for record in reversed(context.thread.path):
                if marks[record] & RecordMark.API_ERROR and is_same_error(
                    pasted, report.format.error_text(context.raw(record))
                ):
                    place = place_of_record(report, record)
                    places.append(ErrorPlace(certainty=Certainty.BY_ID, session=session.session.id, place=place))
    return places


def is_same_error(pasted: ParsedErrorText, text: str) -> bool:
    """Return whether a recorded error is the pasted one.

    Errors are compared by request id, else by wording and places, else letter by letter.
    """
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


def threads_with_sessions(report: Report) -> Iterator[tuple[SessionReport, ThreadContext]]:
    """Yield each thread of a log once, with its session."""
    for session in report.sessions:
        seen: set[int] = set()
        for judged in session.threads:
            if id(judged.context.thread) not in seen:
                seen.add(id(judged.context.thread))
                yield session, judged.context


def place_of_record(report: Report, record: int, pointer: str = "") -> RecordLocation:
    """Return the place of a record of an open log."""
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


def _by_id(report: Report, pasted: ParsedErrorText, remarks: list[str]) -> Iterator[ErrorPlace]:
    known = False
    for session in report.sessions:
        named = [each for each in session.findings if each.call_id and error_mentions_id(pasted, each.call_id)]
        fitting = [each for each in named if each.rule in pasted.rules] or named
        places = [_of_finding(Certainty.BY_ID, session, each) for each in _nearest(report, fitting, pasted)]
        places = places or list(_blocks_by_id(report, session, pasted, remarks))
        known = known or bool(places)
        yield from places
    if pasted.ids and not known:
        missing = ", ".join(named.text for named in pasted.ids[:3])
        remarks.append(tr("This log does not contain {missing}. The error may belong to another log.", missing=missing))


def _blocks_by_id(
    report: Report, session: SessionReport, pasted: ParsedErrorText, remarks: list[str]
) -> Iterator[ErrorPlace]:
    """Yield the blocks, or else the record, that an id names although nothing is wrong with them."""
    blocks = list(mentioned_blocks(session, pasted))
    for context, record, ordinal, call_id in blocks:
        row = context.columns.first_block[record] + ordinal
        yield ErrorPlace(
            certainty=Certainty.BY_ID,
            session=session.session.id,
            place=place_of_record(report, record, context.format.pointer(context.columns, record, ordinal)),
            call_id=call_id,
            tool=context.columns.names[row] or "",
        )
    if blocks:
        remarks.append(
            tr(
                "This log contains {blocks}, but the error no longer applies. The log may have been repaired "
                "since then, or the request may have been different.",
                blocks=blocks[0][3],
            )
        )
    for record in () if blocks or not session.threads else first_mentioned_record(report.log, session.session, pasted):
        yield ErrorPlace(certainty=Certainty.BY_ID, session=session.session.id, place=place_of_record(report, record))


def _nearest(report: Report, findings: list[Finding], pasted: ParsedErrorText) -> list[Finding]:
    """Return those of several findings with the named ids that the index points to, all if there are none.

    Several findings have one id where an id was reused, for example.
    """
    if len(findings) < 2 or not pasted.references:
        return findings
    indexed = [located.finding for located in _by_index(report, pasted, []) if located.finding in findings]
    return [finding for finding in indexed if finding is not None] or findings


def _by_index(report: Report, pasted: ParsedErrorText, remarks: list[str]) -> Iterator[ErrorPlace]:
    for spot in pasted.references:
        fitting: list[ErrorPlace] = []
        without_finding: list[ErrorPlace] = []
        missing: list[str] = []
        for session, context in threads_with_sessions(report):
            numberings = message_numberings(context, PROFILES.get(pasted.profile, context.profile))
            candidates = [_at_spot(session, context, numbering, spot, pasted) for numbering in numberings]
            nearest = max((how_near for how_near, _ in candidates), default=0)
            if not nearest:
                without_finding += _place_without_finding(report, session, context, numberings, spot, missing)
            for numbering, (how_near, findings) in zip(numberings, candidates, strict=True):
                if how_near == nearest > 0:
                    fitting += [_of_finding(Certainty.BY_INDEX, session, finding, spot.message) for finding in findings]
                    remarks += (
                        [tr("Message {message} was found by {reason}.", message=spot.message, reason=numbering.reason)]
                        if numbering.shift
                        else []
                    )
            if fitting:
                break
        if not fitting and without_finding:
            remarks.append(tr("Nothing at {text} matches the error.", text=spot.text))
        if not fitting and not without_finding:
            remarks += missing[:1]
        yield from fitting or without_finding


def _at_spot(
    session: SessionReport,
    context: ThreadContext,
    numbering: MessageNumbering,
    spot: MessageReference,
    pasted: ParsedErrorText,
) -> tuple[int, list[Finding]]:
    """Return the fitting findings at a reference in one numbering, and how near they are.

    The nearness is 3 at the block, 2 in the message, 1 before it, and 0 for none. Providers name the message after an
    unanswered call as often as the call's own (`messages.[3].role` of OpenAI, `messages.2.content` of Bedrock), even
    where that message does not exist yet.
    """
    fitting = [finding for finding in session.findings if finding.rule in pasted.rules]
    positions = numbering.positions(spot.message)
    if not fitting or (not positions and spot.message != numbering.count):
        return 0, []
    path = context.thread.path
    position_of = context.path_positions.get
    block = block_of_reference(context, [path[at] for at in positions], spot)
    pointer = context.format.pointer(context.columns, *block) if block else ""
    inside = [finding for finding in fitting if position_of(finding.place.record) in positions]
    at_block = [each for each in inside if block and (each.place.record, each.place.pointer) == (block[0], pointer)]
    if inside:
        return (3, at_block) if at_block else (2, inside)
    last = positions[-1] if positions else len(path)
    turn = numbering.turns[positions[0]] if positions else max(numbering.turns, default=0) + 1
    before = [
        (at, finding)
        for finding in fitting
        if finding.rule in _UNANSWERED
        and 0 <= (at := position_of(finding.place.record)) <= last
        and turn - numbering.turns[at] in (0, 1, 2)
    ]
    nearest = max((at for at, _ in before), default=-1)
    nearest_findings = [finding for at, finding in before if numbering.numbers[at] == numbering.numbers[nearest]]
    return (1, nearest_findings) if nearest_findings else (0, [])


def _place_without_finding(
    report: Report,
    session: SessionReport,
    context: ThreadContext,
    numberings: list[MessageNumbering],
    spot: MessageReference,
    missing: list[str],
) -> Iterator[ErrorPlace]:
    """Yield the place of a reference without a finding: its message in the first numbering that has it."""
    if context.thread.is_side:
        return
    for numbering in numberings:
        positions = numbering.positions(spot.message)
        if not positions:
            continue
        records = [context.thread.path[at] for at in positions]
        block = block_of_reference(context, records, spot)
        record, pointer = (block[0], context.format.pointer(context.columns, *block)) if block else (records[0], "")
        call_id = context.columns.call_ids[context.columns.first_block[record] + block[1]] if block else ""
        place = place_of_record(report, record, pointer)
        identity = session.session.id
        yield ErrorPlace(
            certainty=Certainty.BY_INDEX, session=identity, place=place, call_id=call_id or "", message=spot.message
        )
        return
    count_text = tr_plural("{number} message", "{number} messages", numberings[0].count)
    missing.append(
        tr(
            "There is no message {message}: the history has {count_text}, numbered from 0. The history may "
            "have been longer when the error occurred (before a compaction or a repair), or the error may "
            "belong to another session.",
            message=spot.message,
            count_text=count_text,
        )
    )


def _by_class(report: Report, pasted: ParsedErrorText) -> Iterator[ErrorPlace]:
    """Yield the findings of the classes that the error stands for: errors and warnings, or else notes."""
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
    """Return whether a finding is about the history, and not only about a recorded error."""
    return not RULES[finding.rule].of_error


def error_mentions_id(pasted: ParsedErrorText, call_id: str) -> bool:
    """Return whether a text names this id: as an id, or as a separate word when it is long enough."""
    return any(named.matches(call_id) for named in pasted.ids) or (
        len(call_id) >= _NO_WORD and _stands_in(pasted, call_id)
    )


def _stands_in(pasted: ParsedErrorText, call_id: str) -> bool:
    """Return whether an id is a separate word in the text, or was split by a line end."""
    text, offset = pasted.flat_text, pasted.flat_text.find(call_id)
    if offset < 0:
        return call_id in pasted.text_without_spaces
    while offset >= 0:
        end = offset + len(call_id)
        if not {text[offset - 1 : offset], text[end : end + 1]} & _PART_OF_IDS:
            return True
        offset = text.find(call_id, end)
    return False


def mentioned_blocks(session: SessionReport, pasted: ParsedErrorText) -> Iterator[tuple[ThreadContext, int, int, str]]:
    """Yield (context, record, ordinal, id) of one block for each id that the text names.

    The block is the call, or the result if the error is about results. Blocks on the path of a thread are preferred.
    """
    if not session.threads:
        return
    context = session.threads[0].context
    columns, members = context.columns, session.session.records
    low, high = columns.first_block[members.start], columns.first_block[members.stop]
    named_ids = {each for each in set(columns.call_ids[low:high]) if each and error_mentions_id(pasted, each)}
    if not named_ids:
        return
    preferred = _RESULTS if _OF_RESULTS.intersection(pasted.rules) else CALL_KINDS
    on_path = {record for judged in session.threads for record in judged.context.thread.path}
    best: dict[str, tuple[tuple[bool, bool], int, int]] = {}
    for row in range(low, high):
        call_id = columns.call_ids[row]
        if call_id in named_ids:
            record = columns.record_of_block(row)
            rank = (record in on_path, columns.block_kinds[row] in preferred)
            if call_id not in best or rank > best[call_id][0]:
                best[call_id] = (rank, record, row - columns.first_block[record])
    for call_id, (_, record, ordinal) in sorted(best.items(), key=lambda each: each[1][1:]):
        yield context, record, ordinal, call_id


def first_mentioned_record(log: Log, session: Session, pasted: ParsedErrorText) -> list[int]:
    """Return the first record of a session with a named id that is no call's: of a reasoning item or a message."""
    needles = [
        b'"' + named.text.encode(errors="replace") + (b"" if named.is_truncated else b'"') for named in pasted.ids
    ]
    for offset in match_offsets(log.source, needles) if needles else ():
        record = bisect_right(log.columns.starts, offset) - 1
        held = record in session.records and offset < log.columns.ends[record]
        if held and not log.columns.marks[record] & RecordMark.API_ERROR:
            return [record]
    return []


class MessageNumbering(Struct):
    """One way of counting the messages of a thread: the number of each record of the path, -1 where it has none.

    `shift` is how many messages the provider saw before the first of them, and `reason` says which. `sent` has the path
    positions of each message where a record is several messages; the record's number is that of the first.
    """

    numbers: array[int]
    turns: array[int]
    shift: int = 0
    reason: str = ""
    sent: list[list[int]] = []

    @property
    def count(self) -> int:
        """The number of messages that the provider would see."""
        return (len(self.sent) or max(self.numbers, default=-1) + 1) + self.shift

    def positions(self, message: int) -> list[int]:
        """Return the path positions of a provider's message, an empty list when it does not exist."""
        wanted = message - self.shift
        if self.sent:
            return self.sent[wanted] if 0 <= wanted < len(self.sent) else []
        return [at for at, number in enumerate(self.numbers) if number == wanted] if wanted >= 0 else []


def message_numberings(context: ThreadContext, profile: Profile) -> list[MessageNumbering]:
    """Return the ways in which this provider may have counted the messages of a thread, the likeliest first."""
    pairing = context.pairing
    if profile.name != context.profile.name:
        pairing = pair_thread(context.format, context.columns, context.thread, profile)
    path, roles = context.thread.path, context.columns.roles
    if context.format.is_provider_api:
        # The records are the elements of the array that the provider counts.
        return [MessageNumbering(array("i", range(len(path))), pairing.turns)]
    number = count()
    by_record = array("i", [-1 if roles[record] in _NOT_SENT else next(number) for record in path])
    numberings = [MessageNumbering(pairing.messages, pairing.turns)]
    if sent := context.number_messages_as_sent():
        numberings = [_as_sent(context, sent)]
    elif not context.format.merges_fragments and by_record != pairing.messages:
        numberings.insert(0, MessageNumbering(by_record, pairing.turns))
    if added := context.format.messages_behind_first(context.session):
        reason = tr("counting the message that the agent adds after the first message")
        shifted = [MessageNumbering(each.numbers, each.turns, added, reason, each.sent) for each in numberings]
        numberings = numberings + shifted
    if profile.counts_system_message and not any(roles[record] == Role.SYSTEM for record in path):
        reason = tr("counting the system prompt, which the agent sends first")
        numberings = [
            MessageNumbering(each.numbers, each.turns, 1, reason, each.sent) for each in numberings
        ] + numberings
    return numberings


def _as_sent(context: ThreadContext, sent: list[list[int]]) -> MessageNumbering:
    """Return the numbering by the messages that are sent, given the records of each."""
    # Gemini CLI sends the record in which it repeats the result of a call; that record is not on the path.
    positions = [[at for record in records if (at := context.path_positions.get(record)) >= 0] for records in sent]
    known = set(chain.from_iterable(sent))
    numbers = [context.message_number(record) if record in known else -1 for record in context.thread.path]
    return MessageNumbering(array("i", numbers), context.pairing.turns, sent=positions)


def block_of_reference(context: ThreadContext, records: list[int], spot: MessageReference) -> tuple[int, int] | None:
    """Return the record and ordinal of the block that a reference names among the records of its message.

    Returns None when there is none.
    """
    if spot.block < 0:
        return None
    blocks = list(_blocks(context, records, BlockKind.CALL if spot.list_key == "tool_calls" else None))
    return blocks[spot.block] if spot.block < len(blocks) else None


def _blocks(context: ThreadContext, records: list[int], only: BlockKind | None) -> Iterator[tuple[int, int]]:
    columns = context.columns
    for record in records:
        for ordinal, row in enumerate(columns.block_rows(record)):
            if only is None or columns.block_kinds[row] == only:
                yield record, ordinal
