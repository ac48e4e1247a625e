"""What a rule looks at: one thread of one session, paired, with what the log holds beside it.

Merged; to be rewritten:
`scene`: What a rule looks at, and what it answers: one thread of one session, paired, and the anomalies in it.
`hit`: What a rule answers: an anomaly at a place, before it is worded for a report.
`once`: What is worked out of a scene when a rule first asks for it, and kept with the scene for the others.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Set
from copy import copy
from functools import cached_property, partial, wraps
from itertools import compress
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.pairing import Pairing, pair_calls_and_results
from inspector.core.formats.base.agent import RequestBuilder
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.registry import safe_view
from inspector.core.formats.base.request import records_by_message
from inspector.core.formats.base.writer import Writer
from inspector.core.lazy import LazyModule
from inspector.core.model.columns import BlockFlag, Columns, PositionIndex, ReadRecord, RecordMark, Role
from inspector.core.model.session import Session, Thread
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.profile import Profile

# What a rule looks at, and what it answers: one thread of one session, paired, and the anomalies in it.
#
# `scene` is what every rule is given; `hit` what it answers. The other modules sort out, once for all rules of a
# family,
# what the scene tells of one subject.


# What a rule answers: an anomaly at a place, before it is worded for a report.


class Match(Struct, kw_only=True, gc=False):
    """An anomaly. `tool` is a tool block's number in the pairing, -1 for none.

    `severity` is set only where the class's own does not fit the case; likewise `default` and `strategies`. `case`
    tells apart what a provider answers to one class in several wordings (Profile.refusals). `value` is the id or the
    name that a profile's pattern is asked about. `no_parent`: the record's parent is not there.
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


if TYPE_CHECKING:
    from inspector.core.providers import error_parser as provider_errors
    from inspector.core.providers.error_parser import ProviderErrorKind
else:
    provider_errors = LazyModule("inspector.core.providers.error_parser")

T = TypeVar("T")
# What was read out of records, by what it is and the record's slot.
RecordCache: TypeAlias = dict[tuple[str, int], Any]

_REMEMBERED = 2  # a result and the one that it is compared with
_IS_CALL = bytes(kind == BlockKind.CALL for kind in range(256))


def pair_thread(format: Format, columns: Columns, thread: Thread, profile: Profile) -> Pairing:
    """The pairing of one thread, by the traits of its format."""
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
    """One thread under one profile."""

    def __init__(
        self,
        format: Format,
        columns: Columns,
        raw: ReadRecord,
        session: Session,
        thread: Thread,
        pairing: Pairing,
        profile: Profile,
        live: bool,
        record_cache: RecordCache | None = None,
    ) -> None:
        self.format, self.columns, self.raw = format, columns, raw
        self.session, self.thread, self.pairing = session, thread, pairing
        self._first = columns.first_block
        self.profile, self.live = profile, live
        self.record_cache: RecordCache = {} if record_cache is None else record_cache
        self.severity_cache: dict[tuple[str, str, str], Severity] = {}  # of classes, as far as they differ
        self.cached_results: dict[Callable[..., Any], Any] = {}  # by what works it out, see `once`
        self._shown: dict[int, dict[str, BlockView]] = {}
        self._sent: dict[int, int] = {}
        self._broken_off: dict[tuple[int, str], str] = {}

    def with_agent_version(self, version: str) -> ThreadContext:
        """The same thread, resumed by another version of its agent: what was worked out of it they share."""
        scene = copy(self)
        scene.session = replace(self.session, version=version)
        return scene

    # tool blocks

    @cached_property
    def tool_by_block_row(self) -> PositionIndex:
        """Tool block numbers by block row."""
        return PositionIndex(self.pairing.block_rows, len(self.columns.block_kinds))

    def tool_location(self, tool: int) -> tuple[int, int]:
        """Record and ordinal of a tool block."""
        pairing = self.pairing
        record = pairing.path[pairing.path_positions[tool]]
        return record, pairing.block_rows[tool] - self._first[record]

    def call_id(self, tool: int) -> str:
        return self.columns.call_ids[self.pairing.block_rows[tool]] or ""

    def match_id(self, hit: Match) -> str:
        """The id in the block of a hit, or the one that it tells of a whole record; "" where it has none."""
        if hit.tool >= 0:
            return self.call_id(hit.tool)
        if hit.ordinal < 0:
            return hit.value
        if 0 <= hit.ordinal < self.columns.blocks[hit.record]:
            return self.columns.call_ids[self.columns.first_block[hit.record] + hit.ordinal] or ""
        return ""

    def match_at_tool(self, rule: str, tool: int, message: str, **more: object) -> Match:
        """A hit at a tool block."""
        record, ordinal = self.tool_location(tool)
        peer = self.pairing.counterparts[tool]
        # Of many anomalies the same is said.
        return Match(rule=rule, message=intern(message), record=record, ordinal=ordinal, tool=tool, peer=peer, **more)  # type: ignore[arg-type]

    def match_open_call(self, rule: str, tool: int, message: str) -> Match:
        """A hit at a call without a result; one that nothing can stand in for is dropped rather than answered."""
        if self.format.can_answer(self.columns, self.pairing.block_rows[tool]):
            return self.match_at_tool(rule, tool, message)
        strategies = ("drop-call", "drop-exchange", "cut-tail", "leave")
        return self.match_at_tool(rule, tool, message, default="drop-call", strategies=strategies)

    def match_orphan_result(self, rule: str, tool: int, message: str, strategies: tuple[str, ...]) -> Match:
        """A hit at a result without a call; where the format cannot tell of an invented call, none is offered."""
        format, row = self.format, self.pairing.block_rows[tool]
        if self.call_id(tool) and isinstance(format, Writer) and format.can_invent(self.columns, row):
            return self.match_at_tool(rule, tool, message)
        return self.match_at_tool(
            rule, tool, message, strategies=tuple(each for each in strategies if each != "invent-call")
        )

    def is_placeholder(self, tool: int) -> bool:
        return bool(self.columns.block_flags[self.pairing.block_rows[tool]] & BlockFlag.PLACEHOLDER)

    def is_blank_result(self, tool: int) -> bool:
        """Whether a result says nothing."""
        return bool(self.columns.block_flags[self.pairing.block_rows[tool]] & BlockFlag.BLANK)

    def message_number(self, record: int) -> int:
        """The provider's number of the message that a record is part of (of several the first), 0 when of none."""
        if self._sent:
            return self._sent.get(record, 0)
        position = self.path_positions.get(record)
        return max(self.pairing.messages[position], 0) if position >= 0 else 0

    def number_messages_as_sent(self) -> list[list[int]]:
        """The records of each message that goes out, where the format keeps several in one record; else nothing.

        `message_of` counts so from then on. This reads the log, `message_of` does not.
        """
        format, session = self.format, self.session
        if not (format.inline_results and isinstance(format, RequestBuilder) and self.thread is session.main_thread):
            return []
        sent = records_by_message(format.build_request(session, self.columns, self.raw), self.columns)
        self._sent = {record: number for number in reversed(range(len(sent))) for record in sent[number]}
        return sent

    @cached_property
    def path_positions(self) -> PositionIndex:
        """Where on the path a record stands."""
        return PositionIndex(self.pairing.path, len(self.columns))

    @cached_property
    def last_error(self) -> tuple[int, str]:
        """The provider's error that is the newest entry of the log, as (record, text); (-1, "") when there is none."""
        for record in reversed(self.thread.path):
            if self.columns.marks[record] & RecordMark.API_ERROR:
                return record, self.format.error_text(self.raw(record))
            if self.columns.roles[record] in (Role.USER, Role.ASSISTANT, Role.TOOL):
                break
        return -1, ""

    @cached_property
    def last_error_kind(self) -> ProviderErrorKind | None:
        """What that error is about, where it is no fault of the history; None for any other, and for none."""
        record, text = self.last_error
        if record < 0:
            return None
        return provider_errors.classify_error(text, self.format.error_name(self.raw(record)))

    @cached_property
    def off_parent_chain(self) -> frozenset[int]:
        """Records of the path that the chain of parents does not run through."""
        return frozenset(self.thread.recovered_records)

    @property
    def is_sent_unchanged(self) -> bool:
        """Whether the records are the messages of the profile's own API, which nothing joins or splits on the way."""
        return self.format.is_provider_api and self.format.profile == self.profile.name

    @property
    def sends_item_ids(self) -> bool:
        """Whether an item goes back to the provider under the id that it came with: agents keep items of their own."""
        return self.format.is_provider_api and self.format.one_item_per_record

    def records_after_same_speaker(self, *roles: int) -> Iterator[int]:
        """The records of the path behind another one of these roles; the system's between them are nobody's turn."""
        before = -1
        for record in self.pairing.path:
            role = self.columns.roles[record]
            if role in roles and before in roles:
                yield record
            if role not in (Role.OPAQUE, Role.LINK, Role.SYSTEM):
                before = role

    @property
    def message_numbers(self) -> array[int]:
        """The number of the message along the path; where every part is a record of its own, of the turn."""
        return self.pairing.turns if self.format.one_item_per_record else self.pairing.messages

    @cached_property
    def assistant_records(self) -> dict[int, list[int]]:
        """The records of the assistant by their number: fragments of a message may lie on both sides of others."""
        return self._spoken_by(self.message_numbers)

    @cached_property
    def assistant_records_by_turn(self) -> dict[int, list[int]]:
        """The same by the turn."""
        return self._spoken_by(self.pairing.turns)

    def _spoken_by(self, numbers: array[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for record, number in zip(self.pairing.path, numbers, strict=True):
            if self.columns.roles[record] == Role.ASSISTANT:
                found.setdefault(number, []).append(record)
        return found

    @property
    def last_message_record(self) -> int:
        """The last message of the path, -1 when there is none."""
        roles = self.columns.roles
        return next((r for r in reversed(self.thread.path) if roles[r] not in (Role.OPAQUE, Role.LINK)), -1)

    @cached_property
    def blank_blocks(self) -> list[tuple[int, int]]:
        """What says nothing and is refused for it, as (block row or -1, position on the path)."""
        pairing, found = self.pairing, self.pairing.blank_blocks
        if not found or not self.format.sends_blank_texts:
            return found
        silent = {position for _, position in found}
        said = {turn for position, turn in enumerate(pairing.turns) if position not in silent}
        # The results of a turn's last step stand in their calls, and go out with the turn behind it.
        last = dict(zip(pairing.turns, pairing.path, strict=True))
        said |= {turn + 1 for turn, record in last.items() if turn >= 0 and self._ends_in_result(record)}
        return [(row, position) for row, position in found if pairing.turns[position] not in said]

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
        """Records that say nothing: without a block, or with nothing but blank texts. A fragment of more is none."""
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
        """The results that are bound to each call, in its place or not, and repeated ones."""
        found: dict[int, list[int]] = {}
        for tool, (row, peer) in enumerate(zip(self.pairing.block_rows, self.pairing.counterparts, strict=True)):
            if peer >= 0 and self.columns.block_kinds[row] == BlockKind.RESULT:
                found.setdefault(peer, []).append(tool)
        return found

    def truncation_reason(self, tool: int) -> str:
        """Why the message of a call broke off, in the log's own word, "" where it does not say that it did."""
        record, ordinal = self.tool_location(tool)
        pointer = self.format.pointer(self.columns, record, ordinal)
        calls = record, pointer.rpartition("/")[0]  # What holds the calls tells the same of all of them.
        if calls not in self._broken_off:
            self._broken_off[calls] = self.format.truncation_reason(self.columns, record, self.raw, pointer)
        return self._broken_off[calls]

    def result_text(self, tool: int) -> str:
        """The text of a result, as a person reads it."""
        view = self.block_view(*self.tool_location(tool))
        return view.text if view is not None else ""

    def placeholder_text(self, tool: int) -> str:
        """The text of a result that stands in for one: short, and asked for by several rules under several profiles."""
        record, ordinal = self.tool_location(tool)
        return self.cached_read(f"stand-in {ordinal}", record, partial(self.result_text, tool))

    def block_view(self, record: int, ordinal: int) -> BlockView | None:
        """A block as a person reads it, None where the record shows none there.

        The records looked at last are remembered: one record may hold all the results of a log.
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
        """What `read` reads out of a record's bytes; a draft that is judged again reads its unchanged records once."""
        key = kind, self.columns.stable_numbers[record]
        if key not in self.record_cache:
            self.record_cache[key] = read()
        found: T = self.record_cache[key]
        return found

    def clear_view_cache(self) -> None:
        """Let go of the records that were looked at last."""
        self._shown.clear()
        self._broken_off.clear()

    def blocks_off_path(self, kind: BlockKind, ids: Set[str | None]) -> list[tuple[int, int]]:
        """(row, record) of the blocks of one kind, with one of these ids, that the session holds off this path."""
        columns, members = self.columns, self.session.records
        low, high = columns.first_block[members.start], columns.first_block[members.stop]
        named = [row for row, call_id in enumerate(columns.call_ids[low:high], low) if call_id in ids]
        rows = [row for row in named if columns.block_kinds[row] == kind]
        places = [(row, columns.record_of_block(row)) for row in rows]
        return [(row, record) for row, record in places if record not in self.path_positions]


class CheckedThread(Struct):
    """One thread under one profile: what the rules hit."""

    context: ThreadContext
    matches: list[Match]


# What is worked out of a scene when a rule first asks for it, and kept with the scene for the others.


def cached_on_thread(work: Callable[[ThreadContext], T]) -> Callable[[ThreadContext], T]:
    """A function of a scene that works only when it is first asked of it."""

    @wraps(work)
    def remembered(scene: ThreadContext) -> T:
        found = scene.cached_results
        if work not in found:
            found[work] = work(scene)
        known: T = found[work]
        return known

    return remembered
