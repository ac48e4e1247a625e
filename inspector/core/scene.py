"""What a rule looks at: one thread of one session, paired, with what the log holds beside it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property

from msgspec import Struct

from inspector.core.columns import Columns, Flag, Mark
from inspector.core.damage import Damage, damages
from inspector.core.finding import Severity
from inspector.core.formats.format import Format
from inspector.core.pairing import Pairing, State
from inspector.core.profiles.profile import Profile
from inspector.core.session import Session, Thread
from inspector.core.views import BlockKind


class Hit(Struct, kw_only=True):
    """An anomaly before it is worded for a report. `tool` is a tool block's number in the pairing, -1 for none.

    `severity` is set only where the class's own does not fit the case; likewise `default` and `strategies`.
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


_DAMAGE = {
    "F1": "The log breaks off in the middle of its last record",
    "F2": "A torn record and a whole one share a line",
    "F3": "A line holds NUL bytes",
    "F4": "A record is split over several lines by raw line ends",
    "F5": "A line holds bytes that are not UTF-8",
    "F6": "A line is no JSON",
    "F7": "A text holds half of a surrogate pair",
}


class Scene:
    """One thread under one profile. The classes of calls and results are sorted out once, for all rules."""

    def __init__(
        self,
        format: Format,
        columns: Columns,
        raw: Callable[[int], bytes],
        session: Session,
        thread: Thread,
        pairing: Pairing,
        profile: Profile,
        live: bool,
    ) -> None:
        self.format, self.columns, self.raw = format, columns, raw
        self.session, self.thread, self.pairing = session, thread, pairing
        self.profile, self.live = profile, live

    # tool blocks

    @cached_property
    def tool_of_row(self) -> dict[int, int]:
        """Tool block numbers by block row."""
        return {row: tool for tool, row in enumerate(self.pairing.rows)}

    def place(self, tool: int) -> tuple[int, int]:
        """Record and ordinal of a tool block."""
        record = self.pairing.record(tool)
        return record, self.pairing.rows[tool] - self.columns.first[record]

    def call_id(self, tool: int) -> str:
        return self.columns.call_ids[self.pairing.rows[tool]] or ""

    def name(self, tool: int) -> str:
        """The tool's name, for a result the name of the call it answers."""
        name = self.columns.names[self.pairing.rows[tool]]
        peer = self.pairing.peers[tool]
        if name is None and peer >= 0:
            name = self.columns.names[self.pairing.rows[peer]]
        return name or ""

    def tool_name(self, tool: int) -> str:
        """The tool's name in a sentence."""
        return self.name(tool) or "an unnamed tool"

    def hit(self, rule: str, tool: int, message: str, **more: object) -> Hit:
        """A hit at a tool block."""
        record, ordinal = self.place(tool)
        peer = self.pairing.peers[tool]
        return Hit(rule=rule, message=message, record=record, ordinal=ordinal, tool=tool, peer=peer, **more)  # type: ignore[arg-type]

    def is_placeholder(self, tool: int) -> bool:
        return bool(self.columns.block_flags[self.pairing.rows[tool]] & Flag.PLACEHOLDER)

    def message_of(self, record: int) -> int:
        """The provider's number of the message that a record is part of, 0 when it is part of none."""
        return max(self._messages.get(record, 0), 0)

    @cached_property
    def _messages(self) -> dict[int, int]:
        return dict(zip(self.pairing.path, self.pairing.messages, strict=True))

    @cached_property
    def off_chain(self) -> frozenset[int]:
        """Records of the path that the chain of parents does not run through."""
        return frozenset(self.thread.recovered)

    # calls without a result

    @cached_property
    def unanswered(self) -> dict[str, list[int]]:
        """Unanswered calls by rule code."""
        pairing = self.pairing
        found: dict[str, list[int]] = {}
        if not pairing.unanswered:
            return found
        pending = self.format.pending(self.session, self.columns, self.thread.path, self.raw)
        repeated = set(pairing.repeated)
        turns = self._turns_of_open_calls
        last_turn = max(pairing.turns, default=-1)
        elsewhere = self._results_elsewhere
        for tool in pairing.unanswered:
            if tool in repeated:
                continue
            call_id = self.call_id(tool)
            turn = pairing.turn(tool)
            answered, several = turns[turn]
            if call_id in pending or (self.live and turn == last_turn):
                code = "D6"
            elif call_id and call_id in elsewhere:
                code = elsewhere[call_id]
            elif answered:
                code = "D3"
            elif several:
                code = "D4"
            else:
                code = "D1" if turn == last_turn else "D2"
            found.setdefault(code, []).append(tool)
        return found

    @cached_property
    def _turns_of_open_calls(self) -> dict[int, tuple[bool, bool]]:
        """By turn with an open call: is a sibling answered; are several messages in a row all unanswered."""
        pairing, kinds = self.pairing, self.columns.block_kinds
        wanted = {pairing.turn(tool) for tool in pairing.unanswered}
        answered: set[int] = set()
        messages: dict[int, set[int]] = {turn: set() for turn in wanted}
        for tool, row in enumerate(pairing.rows):
            turn = pairing.turns[pairing.at[tool]]
            if turn in wanted and kinds[row] == BlockKind.CALL:
                messages[turn].add(pairing.messages[pairing.at[tool]])
                if pairing.states[tool] != State.OPEN:
                    answered.add(turn)
        assistants = set(pairing.assistant_turns)
        idle = {turn for turn in wanted if turn not in answered}
        several = {
            turn
            for turn in idle
            if len(messages[turn]) > 1
            or (turn - 1 in idle and turn - 1 in assistants)
            or (turn + 1 in idle and turn + 1 in assistants)
        }
        return {turn: (turn in answered, turn in several) for turn in wanted}

    @cached_property
    def _results_elsewhere(self) -> dict[str, str]:
        """Ids of results that the log holds off this path, with the code of a call that misses them."""
        columns, found = self.columns, {}
        for record in self.thread.stranded:
            for row in columns.rows(record):
                found[columns.call_ids[row] or ""] = "G5"
        last_boundary = self._last_boundary
        if last_boundary >= 0:
            for row, record in self._off_path(BlockKind.RESULT):
                if record < last_boundary:
                    found.setdefault(columns.call_ids[row] or "", "C1")
        return found

    # results out of place

    @cached_property
    def results(self) -> dict[str, list[int]]:
        """Results that are not where they belong, by rule code."""
        found: dict[str, list[int]] = {}
        if not self.pairing.odd_results:
            return found
        misplaced = set(self.pairing.misplaced)
        orphans = [tool for tool in self.pairing.odd_results if self.pairing.states[tool] == State.ORPHAN]
        codes = self._orphan_codes(orphans)
        for tool in self.pairing.odd_results:
            if tool in misplaced:
                continue
            found.setdefault(codes.get(tool) or self._result_code(tool), []).append(tool)
        return found

    def _result_code(self, tool: int) -> str:
        pairing = self.pairing
        state = pairing.states[tool]
        if state == State.EARLY:
            return "R2"
        if state == State.MIXED:
            return "R9"
        if state == State.DUPLICATE:
            return self._duplicate_code(tool)
        call_turn, turn = pairing.turn(pairing.peers[tool]), pairing.turn(tool)
        between = bisect_left(pairing.assistant_turns, call_turn + 1)
        crossed = between < len(pairing.assistant_turns) and pairing.assistant_turns[between] < turn
        return "R4" if crossed else "R3"

    def _duplicate_code(self, tool: int) -> str:
        if self.is_placeholder(tool):
            return "R6"
        kept = self.pairing.peers[self.pairing.peers[tool]]
        return "R5" if self.result_text(tool) == self.result_text(kept) else "R7"

    def result_text(self, tool: int) -> str:
        """The text of a result, as a person reads it."""
        record, ordinal = self.place(tool)
        pointer = self.format.pointer(self.columns, record, ordinal)
        for view in self.format.view(self.raw(record)).blocks:
            if view.pointer == pointer:
                return view.text
        return ""

    def _orphan_codes(self, orphans: list[int]) -> dict[int, str]:
        if not orphans:
            return {}
        calls_elsewhere = self._calls_off_path({self.call_id(tool) for tool in orphans})
        codes: dict[int, str] = {}
        in_turn: dict[int, list[int]] = {}
        for tool in orphans:
            record = calls_elsewhere.get(self.call_id(tool), -1) if self.call_id(tool) else -1
            if record >= 0:
                codes[tool] = "C2" if record < self._last_boundary else "R12"
            else:
                codes[tool] = "R1"
                in_turn.setdefault(self.pairing.turn(tool), []).append(tool)
        open_in_turn: dict[int, list[int]] = {}
        for call in self.pairing.unanswered:
            open_in_turn.setdefault(self.pairing.turn(call), []).append(call)
        for turn, tools in in_turn.items():
            if len(tools) == 1 and len(open_in_turn.get(turn - 1, ())) == 1:
                codes[tools[0]] = "R8"
        return codes

    def _calls_off_path(self, ids: set[str]) -> dict[str, int]:
        """The first record off the path with a call of each of these ids."""
        found: dict[str, int] = {}
        if not ids.isdisjoint(self.columns.call_ids_of(BlockKind.CALL)):
            for row, record in self._off_path(BlockKind.CALL):
                found.setdefault(self.columns.call_ids[row] or "", record)
        return found

    def open_call_before(self, tool: int) -> int:
        """The one open call in the turn before a result, -1 when there is none or more."""
        turn = self.pairing.turn(tool) - 1
        found = [call for call in self.pairing.unanswered if self.pairing.turn(call) == turn]
        return found[0] if len(found) == 1 else -1

    # damaged records

    @cached_property
    def damages(self) -> list[Damage]:
        """The damaged places of the session; they are told once, with its main thread."""
        if self.thread is not self.session.main:
            return []
        return damages(self.columns, self.session.members, self.raw)

    def damaged(self, rule: str) -> Iterator[Hit]:
        for damage in self.damages:
            if damage.rule == rule:
                lines = "" if damage.first == damage.last else f" ({damage.last - damage.first + 1} lines)"
                text = f"{_DAMAGE[rule]}{lines}."
                default = "quarantine" if damage.salvaged is None else ""
                yield Hit(rule=rule, message=text, record=damage.first, default=default)

    # what lies off the path

    @cached_property
    def _last_boundary(self) -> int:
        """The newest compaction boundary on the path, -1 when there is none."""
        if not self.columns.any_marked(Mark.BOUNDARY):
            return -1
        marks = self.columns.marks
        return max((record for record in self.thread.path if marks[record] & Mark.BOUNDARY), default=-1)

    def _off_path(self, kind: BlockKind) -> list[tuple[int, int]]:
        """(row, record) of the blocks of one kind that the session holds off this thread's path."""
        columns = self.columns
        on_path = bytearray(len(columns))
        for record in self.thread.path:
            on_path[record] = 1
        found = []
        first = columns.first
        for record in self.session.members:
            if not on_path[record] and columns.blocks[record]:
                for row in range(first[record], first[record + 1]):
                    if columns.block_kinds[row] == kind:
                        found.append((row, record))
        return found


class Judged(Struct):
    """One thread under one profile: what the rules hit."""

    scene: Scene
    hits: list[Hit]
