"""The insertion point of a call's results, and how a block is put there."""

from collections.abc import Container

from msgspec import Struct

from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.thread import ThreadContext
from inspector.core.model.columns import Role
from inspector.core.model.views import BlockKind
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Reason

_HOLDERS = (Role.USER, Role.TOOL)  # the roles whose messages may hold results


class InsertionPoint(Struct):
    """The place of a call's results.

    `after` is the record that a new record would follow. `holder` is a record of results that a block can join after
    its first `leading_results` blocks, or None. `trailing` is true where other content follows those. `position` is the
    place on the path after which the results belong.
    """

    after: int
    holder: int | None
    leading_results: int
    trailing: bool
    position: int


def insertion_point_of(scene: ThreadContext, call: int) -> InsertionPoint:
    """Return where the results of a call belong: after its turn, and after the results that open the next one."""
    pairing, path = scene.pairing, scene.pairing.path
    turn, last, message = pairing.turn_of(call), pairing.path_positions[call], pairing.message_of(call)
    begins = scene.path_positions.get(scene.assistant_records.get(scene.message_numbers[last], path[last:])[0], last)
    if max(pairing.turns[begins:last], default=turn) > turn + 1:
        last = begins  # a fragment follows other messages: the agent places the message, and its results, at the first
    own = last
    holder, lead, trailing = None, 0, False
    position = last + 1
    while position < len(path):
        here = pairing.turns[position]
        if here == turn:
            last = position
            if pairing.messages[position] == message or _has_call(scene, path[position]):
                own = position
        elif here == turn + 1:
            found = _leading_results(scene, path[position], turn)
            if not found and not scene.profile.requires_results_first:
                found = _results_behind_text(scene, path[position], turn)
            if not found:
                if holder is None and scene.profile.requires_alternation and _takes_results(scene, path[position]):
                    last, holder, trailing = position, path[position], True
                break
            last, holder, lead = position, path[position], found
            trailing = found < scene.columns.blocks[path[position]]
            if trailing:
                break
        elif here >= 0:
            break
        position += 1
    if holder is None:
        # Texts that follow without a call belong after the results: some providers refuse text after a call.
        last = own
    return InsertionPoint(path[last], holder, lead, trailing, last)


def _has_call(scene: ThreadContext, record: int) -> bool:
    return any(scene.columns.block_kinds[row] == BlockKind.CALL for row in scene.columns.block_rows(record))


def _leading_results(scene: ThreadContext, record: int, turn: int) -> int:
    """Return how many results open a record, 0 when none of them answers a call of `turn`.

    Results of other calls will be moved: a result that joined them would go with them.
    """
    if scene.columns.roles[record] not in _HOLDERS:
        return 0
    count, own = 0, False
    for row in scene.columns.block_rows(record):
        if scene.columns.block_kinds[row] != BlockKind.RESULT:
            break
        count += 1
        tool = scene.tool_by_block_row[row]
        peer = scene.pairing.counterparts[tool]
        own = own or (scene.pairing.states[tool] == PairingState.PAIRED and scene.pairing.turn_of(peer) == turn)
    return count if own else 0


def _results_behind_text(scene: ThreadContext, record: int, turn: int) -> int:
    """Return the ordinal after the last result of a record that answers `turn` from after a text, 0 for none."""
    last = 0
    for ordinal, row in enumerate(scene.columns.block_rows(record)):
        tool = scene.tool_by_block_row.get(row, -1)
        if tool >= 0 and scene.pairing.states[tool] == PairingState.AFTER_OTHER_CONTENT:
            last = ordinal + 1 if scene.pairing.turn_of(scene.pairing.counterparts[tool]) == turn else last
    return last


def _takes_results(scene: ThreadContext, record: int) -> bool:
    """Return whether results can be put before the content of a record.

    It must be a record of the user, without results that are to leave it.
    """
    columns, pairing = scene.columns, scene.pairing
    rows = columns.block_rows(record)
    if columns.roles[record] not in _HOLDERS or not rows or not scene.format.results_share_record:
        return False
    results = [scene.tool_by_block_row[row] for row in rows if columns.block_kinds[row] == BlockKind.RESULT]
    return all(pairing.states[tool] in (PairingState.ORPHAN, PairingState.DUPLICATE) for tool in results)


def _ordinal(scene: ThreadContext, zone: InsertionPoint, call: int) -> int:
    """Return the block of the holder before which the result of `call` belongs, where results follow call order."""
    assert zone.holder is not None
    for ordinal, row in enumerate(list(scene.columns.block_rows(zone.holder))[: zone.leading_results]):
        tool = scene.tool_by_block_row.get(row, -1)
        if tool >= 0 and scene.pairing.counterparts[tool] > call:
            return ordinal
    return zone.leading_results


def chain_links_after(
    scene: ThreadContext, position: int, leaving: Container[int] = (), moved: int = -1
) -> tuple[int | None, int]:
    """Return the next record of the parent chain after a path position, and the last one of the chain.

    Records that are `leaving` are skipped, and so is the one that is `moved` there. The next record is None at the end.
    """
    path, off_chain = scene.pairing.path, scene.off_parent_chain

    def stays(record: int) -> bool:
        return record not in off_chain and record not in leaving and record != moved

    leaf = next(filter(stays, reversed(path)), -1)
    behind = (path[later] for later in range(position + 1, len(path)))
    return next(filter(stays, behind), None), leaf


class ResultPlacer:
    """Puts result blocks where they belong. Blocks for one new record are collected until the pass ends."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._gathered: dict[int, tuple[InsertionPoint, list[bytes], int, Reason]] = {}
        self.handled_messages: set[int] = set()
        self.merged_into: dict[int, int] = {}
        self._zones: dict[int, tuple[int, InsertionPoint]] = {}

    def place_result(
        self, scene: ThreadContext, call: int, block: bytes, reason: Reason, record: int | None = None
    ) -> None:
        """Put a block at the insertion point of `call`.

        `record` is the record that holds nothing but this result, None where there is no such record.
        """
        draft, format = self.draft, self.draft.format
        if format.holds_results(scene.columns, scene.pairing.record_of(call)):
            owner, ordinal = scene.tool_location(call)
            draft.block_edits(owner).answers[ordinal] = block
            draft.add_reason(owner, reason.finding, reason.text, block=draft.block_origin(owner, ordinal))
            if record is not None:
                draft.delete(record)
            return
        if self._clear_way(scene, call, reason) and record is not None:
            return
        zone = self._zone(scene, call)
        if zone.holder is not None and (format.results_share_record or zone.trailing):
            at = _ordinal(scene, zone, call) if format.block_schema.results_in_call_order else zone.leading_results
            put = draft.insert_block(zone.holder, at, block)
            draft.add_reason(zone.holder, reason.finding, reason.text, block=put)
            if record is not None:
                draft.delete(record)
        elif record is not None and zone.after not in self._gathered:
            after, successor, leaf = self._place(scene, zone, scene.pairing.record_of(call), moved=record)
            fitting = format.match_form(draft.raw(record), draft.raw(after))
            if fitting != draft.raw(record):
                draft.replace(record, fitting)
            draft.move(record, after, successor, leaf)
            draft.add_reason(record, reason.finding, reason.text)
        elif format.results_share_record and zone.after in self._gathered:
            self._gathered[zone.after][1].append(block)
            if record is not None:
                draft.delete(record)
        elif format.results_share_record:
            self._gathered[zone.after] = (zone, [block], scene.pairing.record_of(call), reason)
        else:
            self._add(scene, zone, [block], scene.pairing.record_of(call), reason)

    def _clear_way(self, scene: ThreadContext, call: int, reason: Reason) -> bool:
        """Move records from between a call and its results to after the call.

        A call that is apart from its message is moved there. Returns whether anything had to move.
        """
        owner = scene.pairing.record_of(call)
        own = self.draft.format.detached_call_anchor(scene.columns, owner)
        if own >= 0:
            if owner not in self.draft.pending.deleted:
                self.draft.move(owner, own, None, None)
                self.draft.add_reason(owner, reason.finding, "moved to the message that it is part of")
            return True
        found = self.draft.format.records_before_results(scene.columns, owner)
        for record in found:
            if record not in self.draft.pending.deleted:
                self.draft.move(record, owner, None, None)
                self.draft.add_reason(record, reason.finding, "moved behind the call that it came before")
        return bool(found)

    def flush(self, scene: ThreadContext) -> None:
        """Add the records whose blocks were collected."""
        for zone, blocks, like, reason in self._gathered.values():
            self._add(scene, zone, blocks, like, reason)
        self._gathered.clear()
        self._zones.clear()
        self.handled_messages.clear()
        self.merged_into.clear()

    def _zone(self, scene: ThreadContext, call: int) -> InsertionPoint:
        """Return the insertion point of a call. Calls of one turn share it, and a turn can be as long as the log."""
        turn, position = scene.pairing.turn_of(call), scene.pairing.path_positions[call]
        known = self._zones.get(turn)
        if known is None or known[0] > position:
            self._zones[turn] = known = (position, insertion_point_of(scene, call))
        return known[1]

    def _add(self, scene: ThreadContext, zone: InsertionPoint, blocks: list[bytes], like: int, reason: Reason) -> None:
        raw = self.draft.format.result_record(
            self.draft.raw(like), blocks, self.draft.new_id_seed(scene.session.id, reason.finding)
        )
        after, successor, leaf = self._place(scene, zone, like)
        self.draft.add(after, self.draft.format.match_form(raw, self.draft.raw(after)), successor, leaf, reason)

    def _place(
        self, scene: ThreadContext, zone: InsertionPoint, call: int, moved: int = -1
    ) -> tuple[int, int | None, int]:
        """Return where a record goes.

        The result is the record it follows, the one whose parent link it takes over, and the end of the chain.
        """
        successor, leaf = chain_links_after(scene, zone.position, self.draft.pending.deleted, moved)
        after = self.draft.format.result_position(scene.columns, call, zone.after)
        if scene.format.link_keys.parent and not zone.trailing and successor is None:
            # The leaf is the last record of the file: what is added at the end must come behind it.
            after = max(after, leaf)
        return after, successor, leaf
