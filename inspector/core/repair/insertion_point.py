"""The insertion point of a call's results, and how a block is put there."""

from bisect import bisect_right
from collections.abc import Container
from itertools import accumulate

from msgspec import Struct

from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.model.columnar_index import Role
from inspector.core.model.views import BlockKind
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Reason
from inspector.core.translation import tr

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


def insertion_point_of(context: ThreadContext, call: int) -> InsertionPoint:
    """Return where the results of a call belong: after its turn, and after the results that open the next one."""
    pairing, path = context.pairing, context.pairing.path
    turn, last, message = pairing.turn_of(call), pairing.path_positions[call], pairing.message_of(call)
    begins = context.path_positions.get(
        context.assistant_records.get(context.message_numbers[last], path[last:])[0], last
    )
    if max(pairing.turns[begins:last], default=turn) > turn + 1:
        last = begins  # a fragment follows other messages: the agent places the message, and its results, at the first
    own = last
    holder, lead, trailing = None, 0, False
    position = last + 1
    while position < len(path):
        here = pairing.turns[position]
        if here == turn:
            last = position
            if pairing.messages[position] == message or _has_call(context, path[position]):
                own = position
        elif here == turn + 1:
            found = _leading_results(context, path[position], turn)
            if not found and not context.profile.requires_results_first:
                found = _results_behind_text(context, path[position], turn)
            if not found:
                if holder is None and context.profile.requires_alternation and _takes_results(context, path[position]):
                    last, holder, trailing = position, path[position], True
                break
            last, holder, lead = position, path[position], found
            trailing = found < context.columns.blocks[path[position]]
            if trailing:
                break
        elif here >= 0:
            break
        position += 1
    if holder is None:
        # Texts that follow without a call belong after the results: some providers refuse text after a call.
        last = own
    return InsertionPoint(path[last], holder, lead, trailing, last)


def _has_call(context: ThreadContext, record: int) -> bool:
    return any(context.columns.block_kinds[row] == BlockKind.CALL for row in context.columns.block_rows(record))


def _leading_results(context: ThreadContext, record: int, turn: int) -> int:
    """Return how many results open a record, 0 when none of them answers a call of `turn`.

    Results of other calls will be moved: a result that joined them would go with them.
    """
    if context.columns.roles[record] not in _HOLDERS:
        return 0
    count, own = 0, False
    for row in context.columns.block_rows(record):
        if context.columns.block_kinds[row] != BlockKind.RESULT:
            break
        count += 1
        tool = context.tool_by_block_row[row]
        peer = context.pairing.counterparts[tool]
        own = own or (context.pairing.states[tool] == PairingState.PAIRED and context.pairing.turn_of(peer) == turn)
    return count if own else 0


def _results_behind_text(context: ThreadContext, record: int, turn: int) -> int:
    """Return the ordinal after the last result of a record that answers `turn` from after a text, 0 for none."""
    last = 0
    for ordinal, row in enumerate(context.columns.block_rows(record)):
        tool = context.tool_by_block_row.get(row, -1)
        if tool >= 0 and context.pairing.states[tool] == PairingState.AFTER_OTHER_CONTENT:
            last = ordinal + 1 if context.pairing.turn_of(context.pairing.counterparts[tool]) == turn else last
    return last


def _takes_results(context: ThreadContext, record: int) -> bool:
    """Return whether results can be put before the content of a record.

    It must be a record of the user, without results that are to leave it.
    """
    columns, pairing = context.columns, context.pairing
    rows = columns.block_rows(record)
    if columns.roles[record] not in _HOLDERS or not rows or not context.format.results_share_record:
        return False
    results = [context.tool_by_block_row[row] for row in rows if columns.block_kinds[row] == BlockKind.RESULT]
    return all(pairing.states[tool] in (PairingState.ORPHAN, PairingState.DUPLICATE) for tool in results)


def _newest_answered(context: ThreadContext, zone: InsertionPoint) -> list[int]:
    """Return for each of the leading results of the holder the newest call that it or one before it answers."""
    assert zone.holder is not None
    rows = context.columns.block_rows(zone.holder)[: zone.leading_results]
    tools = (context.tool_by_block_row.get(row, -1) for row in rows)
    calls = (context.pairing.counterparts[tool] if tool >= 0 else -1 for tool in tools)
    return [*accumulate(calls, max)]


def next_and_last_on_chain(
    context: ThreadContext, position: int, leaving: Container[int] = (), moved: int = -1
) -> tuple[int | None, int]:
    """Return the next record of the parent chain after a path position, and the last one of the chain.

    Records that are `leaving` are skipped, and so is the one that is `moved` there. The next record is None at the end.
    """
    path, off_chain = context.pairing.path, context.off_parent_chain

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
        self._newest_answered: dict[tuple[int | None, int], list[int]] = {}

    def place_result(
        self, context: ThreadContext, call: int, block: bytes, reason: Reason, record: int | None = None
    ) -> None:
        """Put a block at the insertion point of `call`.

        `record` is the record that holds nothing but this result, None where there is no such record.
        """
        draft, format = self.draft, self.draft.format
        if format.holds_results(context.columns, context.pairing.record_of(call)):
            owner, ordinal = context.tool_location(call)
            draft.block_edits(owner).answers[ordinal] = block
            draft.add_reason(owner, reason.finding, reason.text, block=draft.block_origin(owner, ordinal))
            if record is not None:
                draft.delete(record)
            return
        if self._clear_way(context, call, reason) and record is not None:
            return
        zone = self._zone(context, call)
        if zone.holder is not None and (format.results_share_record or zone.trailing):
            in_order = format.block_schema.results_in_call_order
            at = self._ordinal(context, zone, call) if in_order else zone.leading_results
            put = draft.insert_block(zone.holder, at, block)
            draft.add_reason(zone.holder, reason.finding, reason.text, block=put)
            if record is not None:
                draft.delete(record)
        elif record is not None and zone.after not in self._gathered:
            after, successor, leaf = self._place(context, zone, context.pairing.record_of(call), moved=record)
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
            self._gathered[zone.after] = (zone, [block], context.pairing.record_of(call), reason)
        else:
            self._add(context, zone, [block], context.pairing.record_of(call), reason)

    def _clear_way(self, context: ThreadContext, call: int, reason: Reason) -> bool:
        """Move records from between a call and its results to after the call.

        A call that is apart from its message is moved there. Returns whether anything had to move.
        """
        owner = context.pairing.record_of(call)
        own = self.draft.format.detached_call_anchor(context.columns, owner)
        if own >= 0:
            if owner not in self.draft.pending.deleted:
                self.draft.move(owner, own, None, None)
                self.draft.add_reason(owner, reason.finding, tr("moved to its message"))
            return True
        found = self.draft.format.records_before_results(context.columns, owner)
        for record in found:
            if record not in self.draft.pending.deleted:
                self.draft.move(record, owner, None, None)
                self.draft.add_reason(record, reason.finding, tr("moved after its call"))
        return bool(found)

    def flush(self, context: ThreadContext) -> None:
        """Add the records whose blocks were collected."""
        for zone, blocks, like, reason in self._gathered.values():
            self._add(context, zone, blocks, like, reason)
        self._gathered.clear()
        self._zones.clear()
        self._newest_answered.clear()
        self.handled_messages.clear()
        self.merged_into.clear()

    def _zone(self, context: ThreadContext, call: int) -> InsertionPoint:
        """Return the insertion point of a call. Calls of one turn share it, and a turn can be as long as the log."""
        turn, position = context.pairing.turn_of(call), context.pairing.path_positions[call]
        known = self._zones.get(turn)
        if known is None or known[0] > position:
            self._zones[turn] = known = (position, insertion_point_of(context, call))
        return known[1]

    def _ordinal(self, context: ThreadContext, zone: InsertionPoint, call: int) -> int:
        """Return the block of the holder before which the result of `call` belongs, where results follow call order."""
        holder = (zone.holder, zone.leading_results)
        if holder not in self._newest_answered:
            self._newest_answered[holder] = _newest_answered(context, zone)
        return bisect_right(self._newest_answered[holder], call)

    def _add(
        self, context: ThreadContext, zone: InsertionPoint, blocks: list[bytes], like: int, reason: Reason
    ) -> None:
        raw = self.draft.format.result_record(
            self.draft.raw(like), blocks, self.draft.new_id_seed(context.session.id, reason.finding)
        )
        after, successor, leaf = self._place(context, zone, like)
        self.draft.add(after, self.draft.format.match_form(raw, self.draft.raw(after)), successor, leaf, reason)

    def _place(
        self, context: ThreadContext, zone: InsertionPoint, call: int, moved: int = -1
    ) -> tuple[int, int | None, int]:
        """Return where a record goes.

        The result is the record it follows, the one whose parent link it takes over, and the end of the chain.
        """
        successor, leaf = next_and_last_on_chain(context, zone.position, self.draft.pending.deleted, moved)
        after = self.draft.format.result_position(context.columns, call, zone.after)
        if context.format.link_keys.parent and not zone.trailing and successor is None:
            # The leaf is the last record of the file: what is added at the end must come behind it.
            after = max(after, leaf)
        return after, successor, leaf
