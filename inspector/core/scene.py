"""What a rule looks at: one thread of one session, paired, with what the log holds beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from msgspec import Struct

from inspector.core import open_calls, stray_results
from inspector.core.columns import Columns, Flag, Mark, Role
from inspector.core.damage import Damage, damages
from inspector.core.finding import Severity
from inspector.core.formats.bases.format import Format
from inspector.core.pairing import Pairing, pair
from inspector.core.profiles.profile import Profile
from inspector.core.session import CutOff, Session, Thread
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


def paired(format: Format, columns: Columns, thread: Thread, profile: Profile) -> Pairing:
    """The pairing of one thread, by the traits of its format."""
    return pair(columns, thread.path, profile, format.folds, format.inline, format.items, thread.settled)


class Scene:
    """One thread under one profile."""

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

    def open_hit(self, rule: str, tool: int, message: str) -> Hit:
        """A hit at a call without a result; one that nothing can stand in for is dropped rather than answered."""
        if self.format.can_answer(self.columns, self.pairing.rows[tool]):
            return self.hit(rule, tool, message)
        strategies = ("drop-call", "drop-exchange", "cut-tail", "leave")
        return self.hit(rule, tool, message, default="drop-call", strategies=strategies)

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

    @property
    def is_sent_as_it_stands(self) -> bool:
        """Whether the records are the messages of the profile's own API, which nothing joins or splits on the way."""
        return self.format.api and self.format.profile == self.profile.name

    def followers(self, *roles: int) -> Iterator[int]:
        """The records of the path right behind another one of these roles."""
        before = -1
        for record in self.pairing.path:
            role = self.columns.roles[record]
            if role in roles and before in roles:
                yield record
            if role not in (Role.OPAQUE, Role.LINK):
                before = role

    # calls and results, sorted out once for all rules

    @cached_property
    def unanswered(self) -> dict[str, list[int]]:
        """Unanswered calls by rule code."""
        return open_calls.by_rule(self) if self.pairing.unanswered else {}

    @cached_property
    def results(self) -> dict[str, list[int]]:
        """Results that are not where they belong, by rule code."""
        return stray_results.by_rule(self)

    @cached_property
    def cut_off(self) -> dict[int, CutOff]:
        """Exchanges that a compaction closed, by the tool block that tells of them.

        That is the result that came for the call, else the call; -1 - n for one that is no longer on the path.
        """
        found: dict[int, CutOff] = {}
        if not self.thread.cut_off:
            return found
        tools = {self.pairing.record(tool): tool for tool in range(len(self.pairing.rows))}
        for number, cut in enumerate(self.thread.cut_off):
            named = cut.result if cut.result >= 0 else cut.call
            found[tools.get(named, -1 - number)] = cut
        return found

    def result_text(self, tool: int) -> str:
        """The text of a result, as a person reads it."""
        record, ordinal = self.place(tool)
        pointer = self.format.pointer(self.columns, record, ordinal)
        for view in self.format.view(self.raw(record)).blocks:
            if view.pointer == pointer:
                return view.text
        return ""

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
    def last_boundary(self) -> int:
        """The newest compaction boundary on the path, -1 when there is none."""
        if not self.columns.any_marked(Mark.BOUNDARY):
            return -1
        marks = self.columns.marks
        return max((record for record in self.thread.path if marks[record] & Mark.BOUNDARY), default=-1)

    def is_at_boundary(self, tool: int, step: int) -> bool:
        """Whether a compaction boundary comes next to a call (`step` 1) or a result (-1): only results lie between."""
        columns, path = self.columns, self.thread.path
        if not columns.any_marked(Mark.BOUNDARY):
            return False
        at = self.pairing.at[tool]
        while 0 <= (at := at + step) < len(path):
            record = path[at]
            if columns.marks[record] & Mark.BOUNDARY:
                return True
            kinds = {columns.block_kinds[row] for row in columns.rows(record)}
            if columns.roles[record] not in (Role.LINK, Role.OPAQUE) and kinds != {BlockKind.RESULT}:
                return False
        return False

    def off_path(self, kind: BlockKind) -> list[tuple[int, int]]:
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
