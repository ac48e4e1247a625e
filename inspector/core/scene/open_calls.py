"""What is the matter with each call of a thread that has no result."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from enum import IntEnum

from msgspec import Struct

from inspector.core.index.columns import Columns, Flag, Role
from inspector.core.index.views import BlockKind
from inspector.core.scene.compactions import cut_off, is_at_boundary, last_boundary
from inspector.core.scene.once import once
from inspector.core.scene.other_ids import named_otherwise
from inspector.core.scene.pairing import State
from inspector.core.scene.scene import Scene


class OpenCall(IntEnum):
    """How it came that a call has no result; up to RUN only its place among what is said tells it."""

    NEWEST = 1
    PASSED_BY = 2
    PARTLY_ANSWERED = 3
    RUN = 4
    BROKEN_OFF = 5
    UNLISTED = 6
    PENDING = 7
    COMPACTED = 8
    STRANDED = 9


def open_calls(scene: Scene, kind: OpenCall) -> Sequence[int]:
    """The unanswered calls of one kind."""
    return _open_calls(scene).get(kind, ())


def is_running(scene: Scene, tool: int) -> bool:
    """Whether a pending call is one of an agent at work: the log itself does not say that it waits."""
    return scene.live and scene.call_id(tool) not in marked_pending(scene)


def state_of(scene: Scene, tool: int) -> str:
    """What a pending call does, as every report says it."""
    return "running" if is_running(scene, tool) else "waiting for its result"


@once
def marked_pending(scene: Scene) -> Collection[str]:
    """The ids of the calls that the log itself says to wait."""
    return scene.format.pending(scene.session, scene.columns, scene.thread.path, scene.raw)


@once
def _open_calls(scene: Scene) -> dict[OpenCall, list[int]]:
    pairing = scene.pairing
    found: dict[OpenCall, list[int]] = {}
    if not pairing.unanswered:
        return found
    pending = marked_pending(scene)
    repeated = set(pairing.repeated)
    turns = _Turns.of(scene)
    elsewhere, last_words = _results_elsewhere(scene), _last_words(scene)
    for tool in pairing.unanswered:
        if tool in repeated or tool in cut_off(scene) or tool in named_otherwise(scene):
            continue
        call_id = scene.call_id(tool)
        last = turns.is_last(tool) and pairing.at[tool] > last_words
        if call_id in pending or (scene.live and last):
            kind = OpenCall.PENDING
        elif call_id and call_id in elsewhere:
            kind = elsewhere[call_id]
        elif is_at_boundary(scene, tool, 1):
            kind = OpenCall.COMPACTED
        elif turns.responses[tool] in turns.answered:
            kind = OpenCall.PARTLY_ANSWERED
        elif pairing.turn(tool) in turns.several:
            kind = OpenCall.RUN
        else:
            kind = OpenCall.NEWEST if last else OpenCall.PASSED_BY
        if kind <= OpenCall.RUN:
            kind = _of_its_message(scene, tool) or kind
        found.setdefault(kind, []).append(tool)
    return found


def _of_its_message(scene: Scene, tool: int) -> OpenCall | None:
    """What the message of an open call tells of it: the agent does not see it there, or the message broke off."""
    if scene.format.unlisted(scene.columns, scene.pairing.rows[tool]):
        return OpenCall.UNLISTED
    return OpenCall.BROKEN_OFF if scene.broken_off(tool) else None


def _last_words(scene: Scene) -> int:
    """The place on the path behind which nothing is said; -1 where the turns tell that already."""
    columns, path = scene.columns, scene.pairing.path
    if scene.format.items:
        said = (p for p in _backwards(path) if any(_speaks(columns, row) for row in columns.rows(path[p])))
        return next(said, -1)
    if scene.format.inline:
        return next((p for p in _backwards(path) if columns.roles[path[p]] in (Role.USER, Role.ASSISTANT)), 0) - 1
    return -1


def _backwards(path: array[int]) -> range:
    return range(len(path) - 1, -1, -1)


def _speaks(columns: Columns, row: int) -> bool:
    return columns.block_kinds[row] == BlockKind.TEXT


class _Turns(Struct):
    """The turns with open calls. `responses` numbers the model's response of each of their calls.

    `answered` are responses of which some call has a result, `several` the turns of several responses that all have
    none. `newest` is the response of the last call of the thread.
    """

    responses: dict[int, tuple[int, int]]
    answered: set[tuple[int, int]]
    several: set[int]
    newest: tuple[int, int]

    @classmethod
    def of(cls, scene: Scene) -> _Turns:
        pairing, kinds = scene.pairing, scene.columns.block_kinds
        wanted = {pairing.turn(tool) for tool in pairing.unanswered}
        turns = map(pairing.turns.__getitem__, pairing.at)
        there = [tool for tool, turn in enumerate(turns) if turn in wanted]
        calls = [tool for tool in there if kinds[pairing.rows[tool]] == BlockKind.CALL]
        responses = _runs(scene, calls) if scene.format.items else _steps(scene, calls)
        answered = {responses[tool] for tool in calls if pairing.states[tool] != State.OPEN}
        newest = responses[calls[-1]] if calls and pairing.turn(calls[-1]) == max(pairing.turns) else (-1, -1)
        return cls(responses, answered, _idle(scene, wanted, calls), newest)

    def is_last(self, tool: int) -> bool:
        """Whether the model said nothing after the response of a call."""
        return self.responses[tool] == self.newest


def _steps(scene: Scene, calls: list[int]) -> dict[int, tuple[int, int]]:
    """The message of each call, and how many of the model's responses begin in its record before it."""
    columns, pairing = scene.columns, scene.pairing
    found: dict[int, tuple[int, int]] = {}
    newest, steps, done = -1, 0, 0
    for tool in calls:
        if scene.format.inline:
            record, row = pairing.record(tool), pairing.rows[tool]
            if record != newest:
                newest, steps, done = record, 0, columns.first[record]
            before = range(done, row)
            steps += sum(columns.block_kinds[at] == BlockKind.OTHER and bool(columns.block_flags[at] & Flag.STEP)
                         for at in before)  # fmt: skip
            done = row
        found[tool] = pairing.message(tool), steps
    return found


def _runs(scene: Scene, calls: list[int]) -> dict[int, tuple[int, int]]:
    """The same where each call is a record: a response goes on with a call that nothing separates from the one before.

    A response whose results come behind that call goes on as well, whatever it says between: a program sends them
    before the model answers again.
    """
    pairing, columns = scene.pairing, scene.columns
    found: dict[int, tuple[int, int]] = {}
    number, before, results = 0, -1, -1
    for tool in calls:
        at, peer = pairing.at[tool], pairing.peers[tool]
        between = range(before + 1, at) if before >= 0 else ()
        if results < at and any(columns.blocks[pairing.path[position]] for position in between):
            number, results = number + 1, -1
        if peer >= 0 and pairing.states[peer] == State.PAIRED:
            results = max(results, pairing.at[peer])
        found[tool] = (pairing.turn(tool), number)
        before = at
    return found


def _idle(scene: Scene, wanted: set[int], calls: list[int]) -> set[int]:
    """The turns of several messages in a row, none of whose calls was answered."""
    pairing = scene.pairing
    messages: dict[int, set[int]] = {turn: set() for turn in wanted}
    for tool in calls:
        messages[pairing.turn(tool)].add(pairing.message(tool))
    idle = wanted - {pairing.turn(tool) for tool in calls if pairing.states[tool] != State.OPEN}
    assistants = set(pairing.assistant_turns)
    return {
        turn
        for turn in idle
        if (len(messages[turn]) > 1 and not scene.format.items)
        or (turn - 1 in idle and turn - 1 in assistants)
        or (turn + 1 in idle and turn + 1 in assistants)
    }


def _results_elsewhere(scene: Scene) -> dict[str, OpenCall]:
    """Ids of results that the log holds off this path, with the kind of a call that misses them."""
    columns, found = scene.columns, dict[str, OpenCall]()
    for record in scene.thread.stranded:
        for row in columns.rows(record):
            found[columns.call_ids[row] or ""] = OpenCall.STRANDED
    boundary = last_boundary(scene)
    if boundary >= 0:
        ids = {scene.call_id(tool) for tool in scene.pairing.unanswered}
        for row, record in scene.off_path(BlockKind.RESULT, ids):
            if record < boundary:
                found.setdefault(columns.call_ids[row] or "", OpenCall.COMPACTED)
    return found
