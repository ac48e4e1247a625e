"""The context that rules work on: one thread of one session with its pairing, and the matches of rules in it."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Set
from copy import copy
from functools import cached_property, partial, wraps
from itertools import compress
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.pairing import PathPairing, pair_calls_and_results
from inspector.core.formats.base.agent_behavior import RequestBuilder
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.registry import safe_view
from inspector.core.formats.base.request import records_by_message
from inspector.core.formats.base.writer import Writer
from inspector.core.model.columnar_index import BlockFlag, Columns, PositionByNumber, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.error_parser import ServiceErrorKind, classify_service_error
from inspector.core.providers.profile import Profile

T = TypeVar("T")
# Values read from records, by their kind and the stable number of the record.
RecordCache: TypeAlias = dict[tuple[str, int], Any]

_REMEMBERED = 2  # a result and the result that it is compared with
_IS_CALL = bytes(kind == BlockKind.CALL for kind in range(256))


class RuleMatch(Struct, kw_only=True, gc=False):
    """An anomaly that a rule found, before it is worded for a report.

    `tool` is the number of a tool block in the pairing, -1 for none. `severity`, `default` and `strategies` are set
    only where those of the rule do not fit the case. `case` selects among several error texts that a provider has for
    one rule (Profile.refusals). `value` is the id or the name that is compared with a pattern of the profile.
    `parent_missing` says whether the parent of the record is not in the log.
    """

    rule: str
    message: str
    record: int
    ordinal: int = -1
    tool: int = -1
    peer: int = -1
    severity: Severity | None = None
    default: str = ""
    strategies: tuple[str, ...] = ()
    case: str = ""
    value: str = ""
    parent_missing: bool = False


def pair_thread(format: Format, columns: Columns, thread: Thread, profile: Profile) -> PathPairing:
    """Return the pairing of one thread, according to the traits of its format."""
    return pair_calls_and_results(
        columns,
        thread.path,
        profile,
        merge_fragments=format.merges_fragments,
        results_in_call_record=format.inline_results,
        parts_are_records=format.one_item_per_record,
        ignored_rows=thread.agent_handled_rows,
        separate_assistant_messages=format.keeps_answers_separate,
    )


class ThreadContext:
    """One thread under one profile: its records and pairing, and values derived from them for all rules."""

    def __init__(
        self,
        format: Format,
        columns: Columns,
        raw: ReadRecord,
        session: Session,
        thread: Thread,
        pairing: PathPairing,
        profile: Profile,
        live: bool,
        record_cache: RecordCache | None = None,
    ) -> None:
        self.format, self.columns, self.raw = format, columns, raw
        self.session, self.thread, self.pairing = session, thread, pairing
        self._first = columns.first_block
        self.profile, self.live = profile, live
        # The log as read, where it may be asked what its agent reads of damaged records, and once that was asked, the
        # records that the agent reads with half of a surrogate pair.
        self.log: Log | None = None
        self.half_pairs: frozenset[int] | None = None
        self.record_cache: RecordCache = {} if record_cache is None else record_cache
        self.severity_cache: dict[tuple[str, str, str], Severity] = {}  # severities that differ from the rule's own
        self.cached_results: dict[Callable[..., Any], Any] = {}  # by function, see `cached_on_thread`
        self._shown: dict[int, dict[str, BlockView]] = {}
        self._sent: dict[int, int] = {}
        self._broken_off: dict[tuple[int, str], str] = {}
        self._shared_messages: dict[str, str] = {}  # many anomalies have the same

    def with_agent_version(self, version: str) -> ThreadContext:
        """Return the same thread, resumed by another version of its agent.

        Both share the caches.
        """
        context = copy(self)
        context.session = replace(self.session, version=version)
        return context

    @cached_property
    def tool_by_block_row(self) -> PositionByNumber:
        """Tool block numbers by block row."""
        return PositionByNumber(self.pairing.block_rows)

    def tool_location(self, tool: int) -> tuple[int, int]:
        """Return the record and the ordinal of a tool block."""
        pairing = self.pairing
        record = pairing.path[pairing.path_positions[tool]]
        return record, pairing.block_rows[tool] - self._first[record]

    def call_id(self, tool: int) -> str:
        return self.columns.call_ids[self.pairing.block_rows[tool]] or ""

    def match_id(self, match: RuleMatch) -> str:
        """Return the id in the block of a match, or the id that the match of a whole record names.

        Return "" when there is none.
        """
        if match.tool >= 0:
            return self.call_id(match.tool)
        if match.ordinal < 0:
            return match.value
        if 0 <= match.ordinal < self.columns.blocks[match.record]:
            return self.columns.call_ids[self.columns.first_block[match.record] + match.ordinal] or ""
        return ""

    def match_at_tool(self, rule: str, tool: int, message: str, **more: Any) -> RuleMatch:
        """Return a match at a tool block."""
        record, ordinal = self.tool_location(tool)
        peer = self.pairing.counterparts[tool]
        message = self._shared_messages.setdefault(message, message)
        if self.profile.api and (case := self._case_of_result(tool)):
            more["case"] = case
        where: dict[str, Any] = {"record": record, "ordinal": ordinal, "tool": tool, "peer": peer}
        return RuleMatch(rule=rule, message=message, **where, **more)

    def _case_of_result(self, tool: int) -> str:
        """Return why a chat template refuses a result that is not at its place, "" where it takes it."""
        cases, row = self.profile.result_cases, self.pairing.block_rows[tool]
        if not cases or self.columns.block_kinds[row] != BlockKind.RESULT:
            return ""
        if "id" in cases and not re.fullmatch(self.profile.call_id_pattern, self.call_id(tool)):
            return "id"
        if "no-call" not in cases:
            return ""
        before = reversed(self.thread.path[: self.path_positions[self.tool_location(tool)[0]]])
        answer = next((record for record in before if self.columns.roles[record] == Role.ASSISTANT), -1)
        is_call = answer >= 0 and any(
            self.columns.block_kinds[each] == BlockKind.CALL for each in self.columns.block_rows(answer)
        )
        return "" if is_call else "no-call"

    def match_open_call(self, rule: str, tool: int, message: str) -> RuleMatch:
        """Return a match at a call without a result.

        A call that no result can be written for is dropped rather than answered.
        """
        if self.format.can_answer(self.columns, self.pairing.block_rows[tool]):
            return self.match_at_tool(rule, tool, message)
        strategies = ("drop-call", "drop-exchange", "cut-tail", "leave")
        return self.match_at_tool(rule, tool, message, default="drop-call", strategies=strategies)

    def match_orphan_result(self, rule: str, tool: int, message: str, strategies: tuple[str, ...]) -> RuleMatch:
        """Return a match at a result without a call.

        Inventing a call is offered only where the format can write one.
        """
        format, row = self.format, self.pairing.block_rows[tool]
        if self.call_id(tool) and isinstance(format, Writer) and format.can_invent(self.columns, row):
            return self.match_at_tool(rule, tool, message)
        return self.match_at_tool(
            rule, tool, message, strategies=tuple(name for name in strategies if name != "invent-call")
        )

    def is_placeholder(self, tool: int) -> bool:
        return bool(self.columns.block_flags[self.pairing.block_rows[tool]] & BlockFlag.PLACEHOLDER)

    def is_blank_result(self, tool: int) -> bool:
        """Whether a result says nothing."""
        return bool(self.columns.block_flags[self.pairing.block_rows[tool]] & BlockFlag.BLANK)

    def message_number(self, record: int) -> int:
        """Return the number that the provider gives to the message of a record.

        Of several messages it is the first. Return 0 when the record is in none.
        """
        if self._sent:
            return self._sent.get(record, 0)
        position = self.path_positions.get(record)
        return max(self.pairing.messages[position], 0) if position >= 0 else 0

    def number_messages_as_sent(self) -> list[list[int]]:
        """Return the records of each message that is sent, where the format keeps several in one record.

        Return an empty list for other formats. `message_number` uses this numbering from then on. This method reads the
        log, `message_number` does not.
        """
        format, session = self.format, self.session
        if not (format.inline_results and isinstance(format, RequestBuilder) and self.thread is session.main_thread):
            return []
        sent = records_by_message(format.build_request(session, self.columns, self.raw), self.columns)
        self._sent = {record: number for number in reversed(range(len(sent))) for record in sent[number]}
        return sent

    @cached_property
    def path_positions(self) -> PositionByNumber:
        """The position on the path by record."""
        return PositionByNumber(self.pairing.path)

    @cached_property
    def last_error(self) -> tuple[int, str]:
        """The provider error that is the newest entry of the log, as (record, text); (-1, "") for none."""
        for record in reversed(self.thread.path):
            if self.columns.marks[record] & RecordMark.API_ERROR:
                return record, self.format.error_text(self.raw(record))
            if self.columns.roles[record] in (Role.USER, Role.ASSISTANT, Role.TOOL):
                break
        return -1, ""

    @property
    def refusal(self) -> str:
        """What a provider answered to this history: the error that a person pasted, else the last one, "" for none."""
        return self.session.pasted_error or self.last_error[1]

    @cached_property
    def last_error_kind(self) -> ServiceErrorKind | None:
        """The kind of the last error if the history did not cause it; None for any other error and for none."""
        record, text = self.last_error
        if record < 0:
            return None
        return classify_service_error(text, self.format.error_name(self.raw(record)))

    @cached_property
    def off_parent_chain(self) -> frozenset[int]:
        """The records of the path that are not on the chain of parents."""
        return frozenset(self.thread.recovered_records)

    @property
    def is_sent_unchanged(self) -> bool:
        """Whether the records are messages of the profile's own API, which nothing joins or splits on the way."""
        return self.format.is_provider_api and self.format.profile in (self.profile.name, self.profile.api)

    @property
    def sends_users_as_they_stand(self) -> bool:
        """Whether neighboring messages of the user stay apart: see `is_sent_unchanged`, or the agent stops at them."""
        return self.is_sent_unchanged or self.format.stops_at_repeated_speakers

    @property
    def sends_answers_as_they_stand(self) -> bool:
        """Whether the assistant's messages are sent one by one to the profile's API, with nothing between them.

        An agent that finds results only in the next record puts results of its own between them.
        """
        if self.format.profile not in (self.profile.name, self.profile.api):
            return False
        is_separate = self.format.keeps_answers_separate and not self.format.requires_shared_results
        return self.format.is_provider_api or is_separate

    @property
    def sends_item_ids(self) -> bool:
        """Whether every item goes back to the provider under the id that it came with, as in logs of a provider API.

        An agent may send some: see `Format.sends_reasoning_ids`.
        """
        return self.format.is_provider_api and self.format.one_item_per_record

    def records_after_same_speaker(self, *roles: int) -> Iterator[int]:
        """Yield the records that follow a message of a role in `roles` and have such a role themselves.

        System messages between the two are nobody's turn and are skipped.
        """
        previous_role = -1
        for record in self.pairing.path:
            role = self.columns.roles[record]
            if role in roles and previous_role in roles:
                yield record
            if role not in (Role.OPAQUE, Role.LINK, Role.SYSTEM):
                previous_role = role

    @property
    def message_numbers(self) -> array[int]:
        """The message number along the path, or the turn where every part is a record of its own."""
        return self.pairing.turns if self.format.one_item_per_record else self.pairing.messages

    @cached_property
    def assistant_records(self) -> dict[int, list[int]]:
        """The records of the assistant by message number.

        Fragments of a message may lie on both sides of other messages.
        """
        return self._spoken_by(self.message_numbers)

    @cached_property
    def assistant_records_by_turn(self) -> dict[int, list[int]]:
        """The records of the assistant by turn."""
        return self._spoken_by(self.pairing.turns)

    def _spoken_by(self, numbers: array[int]) -> dict[int, list[int]]:
        records: dict[int, list[int]] = {}
        for record, number in zip(self.pairing.path, numbers, strict=True):
            if self.columns.roles[record] == Role.ASSISTANT:
                records.setdefault(number, []).append(record)
        return records

    @property
    def last_message_record(self) -> int:
        """The record of the last message on the path, -1 when there is none."""
        roles = self.columns.roles
        return next((r for r in reversed(self.thread.path) if roles[r] not in (Role.OPAQUE, Role.LINK)), -1)

    @cached_property
    def blank_blocks(self) -> list[tuple[int, int]]:
        """The blank blocks and messages that a provider refuses, as (block row or -1, position on the path)."""
        pairing, blanks = self.pairing, self.pairing.blank_blocks
        if not blanks or not self.format.sends_blank_texts:
            return blanks
        blank_positions = {position for _, position in blanks}
        spoken_turns = {turn for position, turn in enumerate(pairing.turns) if position not in blank_positions}
        # The results of the last step of a turn are inside their calls, and are sent with the turn after it.
        last_records = dict(zip(pairing.turns, pairing.path, strict=True))
        spoken_turns |= {
            turn + 1 for turn, record in last_records.items() if turn >= 0 and self._ends_in_result(record)
        }
        roles = self.columns.roles
        return [
            (row, position)
            for row, position in blanks
            if roles[pairing.path[position]] == Role.ASSISTANT or pairing.turns[position] not in spoken_turns
        ]

    def _ends_in_result(self, record: int) -> bool:
        kinds, flags = self.columns.block_kinds, self.columns.block_flags
        for row in reversed(self.columns.block_rows(record)):
            if kinds[row] == BlockKind.RESULT:
                return True
            if kinds[row] == BlockKind.OTHER and flags[row] & BlockFlag.RESPONSE_START:
                break
        return False

    @cached_property
    def empty_messages(self) -> frozenset[int]:
        """The records that say nothing: they have no block, or only blank texts.

        A fragment of a message that says something does not count.
        """
        columns, fragments = self.columns, Role.ASSISTANT if self.format.merges_fragments else None
        blanks = Counter(self.pairing.path[position] for _, position in self.blank_blocks)
        return frozenset(
            record
            for record, count in blanks.items()
            if not columns.blocks[record] or (count == columns.blocks[record] and columns.roles[record] != fragments)
        )

    @cached_property
    def call_rows(self) -> list[int]:
        """The block rows of the calls."""
        kinds = bytes(map(self.columns.block_kinds.__getitem__, self.pairing.block_rows))
        return list(compress(self.pairing.block_rows, kinds.translate(_IS_CALL)))

    @cached_property
    def results_by_call(self) -> dict[int, list[int]]:
        """The results that are bound to each call, including displaced and repeated ones."""
        results: dict[int, list[int]] = {}
        for tool, (row, peer) in enumerate(zip(self.pairing.block_rows, self.pairing.counterparts, strict=True)):
            if peer >= 0 and self.columns.block_kinds[row] == BlockKind.RESULT:
                results.setdefault(peer, []).append(tool)
        return results

    def truncation_reason(self, tool: int) -> str:
        """Return why the message of a call was cut off, in the word that the log uses.

        Return "" where the log does not say that it was.
        """
        record, ordinal = self.tool_location(tool)
        pointer = self.format.pointer(self.columns, record, ordinal)
        call_list = record, pointer.rpartition("/")[0]  # The reason is the same for all calls in one list.
        if call_list not in self._broken_off:
            self._broken_off[call_list] = self.format.truncation_reason(self.columns, record, self.raw, pointer)
        return self._broken_off[call_list]

    def result_text(self, tool: int) -> str:
        """Return the text of a result, as a person reads it."""
        view = self.block_view(*self.tool_location(tool))
        return view.text if view is not None else ""

    def placeholder_text(self, tool: int) -> str:
        """Return the text of a placeholder result.

        It is cached because it is short, and several rules read it under several profiles.
        """
        record, ordinal = self.tool_location(tool)
        return self.cached_read(f"stand-in {ordinal}", record, partial(self.result_text, tool))

    def block_view(self, record: int, ordinal: int) -> BlockView | None:
        """Return a block as a person reads it, None where the record shows none there.

        The records viewed last are cached, because one record may hold all the results of a log.
        """
        if record in self._shown:
            self._shown[record] = self._shown.pop(record)
        else:
            if len(self._shown) == _REMEMBERED:
                del self._shown[next(iter(self._shown))]
            blocks = safe_view(self.format, self.raw(record), self.session.faults).blocks
            self._shown[record] = {view.pointer: view for view in reversed(blocks)}
        return self._shown[record].get(self.format.pointer(self.columns, record, ordinal))

    def cached_read(self, kind: str, record: int, read: Callable[[], T]) -> T:
        """Return what `read` reads from the bytes of a record.

        The cache is shared between checks of a draft, so that an unchanged record is read once.
        """
        key = kind, self.columns.stable_numbers[record]
        if key not in self.record_cache:
            self.record_cache[key] = read()
        cached: T = self.record_cache[key]
        return cached

    def clear_view_cache(self) -> None:
        """Drop the cached views of records."""
        self._shown.clear()
        self._broken_off.clear()

    def blocks_off_path(self, kind: BlockKind, ids: Set[str | None]) -> list[tuple[int, int]]:
        """Return (row, record) of the blocks of one kind with one of these ids that are off the path."""
        columns, members = self.columns, self.session.records
        first_row, end_row = columns.first_block[members.start], columns.first_block[members.stop]
        rows_with_id = [
            row for row, call_id in enumerate(columns.call_ids[first_row:end_row], first_row) if call_id in ids
        ]
        rows = [row for row in rows_with_id if columns.block_kinds[row] == kind]
        places = [(row, columns.record_of_block(row)) for row in rows]
        return [(row, record) for row, record in places if record not in self.path_positions]


class CheckedThread(Struct):
    """The matches of the rules in one thread under one profile."""

    context: ThreadContext
    matches: list[RuleMatch]


def cached_on_thread(compute: Callable[[ThreadContext], T]) -> Callable[[ThreadContext], T]:
    """Return a function that computes its value for a thread once and caches it on the thread."""

    @wraps(compute)
    def remembered(context: ThreadContext) -> T:
        results = context.cached_results
        if compute not in results:
            results[compute] = compute(context)
        result: T = results[compute]
        return result

    return remembered
