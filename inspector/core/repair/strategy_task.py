"""A task: one finding with the strategy chosen for it; and the small edits that strategies share."""

import re

from msgspec import Struct

from inspector.core.analysis.thread_context import RuleMatch, ThreadContext
from inspector.core.analysis.unmatched_results import recorded_tool_name
from inspector.core.formats.base.writer import CallContext, make_unused_id, make_valid_id
from inspector.core.model.columnar_index import Role
from inspector.core.model.views import BlockKind
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss, Reason
from inspector.core.repair.insertion_point import ResultPlacer
from inspector.core.translation import tr

REMOVED_BINDING_ID_REASON = tr("the id was removed, because it refers to the reasoning")


class StrategyTask(Struct):
    """A finding with its strategy, about to edit a draft.

    `finding` is the id of the finding, `strategy` the one chosen for it, and `wording` the text of placeholders.
    """

    draft: Draft
    context: ThreadContext
    hit: RuleMatch
    finding: str
    strategy: str
    placer: ResultPlacer
    wording: str

    def reason(self, text: str) -> Reason:
        return Reason(self.finding, text)

    def pointer(self, record: int, ordinal: int) -> str:
        return self.context.format.pointer(self.context.columns, record, ordinal)

    def call(self, tool: int) -> CallContext:
        """Return a call as the format needs it to answer it."""
        record, ordinal = self.context.tool_location(tool)
        raw = self.draft.raw(record)
        return CallContext(
            self.context.call_id(tool), recorded_tool_name(self.context, tool), raw, self.pointer(record, ordinal)
        )

    def block_text(self, tool: int) -> str:
        """Return a call as a line for the list of losses."""
        record, ordinal = self.context.tool_location(tool)
        return self._text(record, ordinal)

    def _text(self, record: int, ordinal: int) -> str:
        view = self.context.block_view(record, ordinal)
        if view is None:
            return ""
        if view.kind != BlockKind.CALL:
            return view.text
        text = view.text
        if text in ("", "null"):  # The input may be in an unusual member.
            block = self.context.format.block_bytes(self.context.columns, record, self.draft.raw(record), ordinal)
            text = block.decode("utf-8", "replace")
        return f"{view.name} {text}".strip()

    def report_loss(self, kind: str, text: str, reason: str, tool: int) -> None:
        """Report a tool block as lost."""
        self.draft.losses.append(
            Loss(kind, text, reason, self.draft.original_record(self.context.pairing.record_of(tool)))
        )

    def add_reason(self, record: int, ordinal: int, text: str) -> None:
        """Note why a block is edited."""
        self.draft.add_reason(record, self.finding, text, block=self.draft.block_origin(record, ordinal))

    def move_block(self, record: int, ordinal: int, at: int, text: str) -> None:
        """Move a block within its record, to before the ordinal `at`."""
        block = self.context.format.block_bytes(self.context.columns, record, self.draft.raw(record), ordinal)
        origin = self.draft.block_origin(record, ordinal)
        self.draft.block_edits(record).drop.add(ordinal)
        self.draft.insert_block(record, at, block, origin)
        self.draft.add_reason(record, self.finding, text, block=origin, moves=True)

    def drop_result(self, tool: int, reason: str) -> None:
        """Drop a result and report its text as lost."""
        self.report_loss("result", self.context.result_text(tool), reason, tool)
        self.drop_block(tool, reason)

    def drop_call(self, tool: int, reason: str) -> None:
        """Drop a call with the reasoning that is bound to its message, and report the call as lost."""
        self.report_loss("call", self.block_text(tool), reason, tool)
        self.drop_block(tool, reason)
        self.drop_reasoning(tool)

    def drop_block(self, tool: int, reason: str) -> None:
        """Drop a tool block. Its record goes with it when it holds nothing else."""
        record, ordinal = self.context.tool_location(tool)
        self._drop(record, ordinal, reason)

    def _drop(self, record: int, ordinal: int, reason: str) -> None:
        self.draft.block_edits(record).drop.add(ordinal)
        self.add_reason(record, ordinal, reason)

    def dropped_in(self, record: int) -> set[int]:
        """Return the blocks of a record that this pass drops, by ordinal."""
        edits = self.draft.pending.blocks.get(record)
        return edits.drop if edits is not None else set()

    def new_id(self, wanted: str) -> str:
        """Return an id that no call has yet and that the provider accepts."""
        pattern, new = self.context.profile.call_id_pattern, make_unused_id(wanted or "call", self.draft.taken_ids())
        return new if not pattern or re.fullmatch(pattern, new) else self.legal_id(new)

    def legal_id(self, wanted: str) -> str:
        """Return such an id that keeps what the provider accepts of the wanted one."""
        return make_valid_id(wanted, self.context.profile.call_id_pattern, self.draft.taken_ids())

    # the message of a call

    def records_of_message(self, tool: int) -> list[int]:
        """Return the assistant records that make up the message of a call.

        This is the call's own record where the assistant does not speak in it.
        """
        return self.records_at(self.context.pairing.path_positions[tool])

    def records_at(self, position: int) -> list[int]:
        """Return the assistant records that make up the message at a position of the path.

        This is the record at that position where the assistant does not speak in it.
        """
        own = [self.context.pairing.path[position]]
        return self.context.assistant_records.get(self.context.message_numbers[position], own)

    def records_of_turn(self, record: int) -> list[int]:
        """Return the assistant records of the turn of a record, none where somebody else speaks."""
        return self.context.assistant_records_by_turn.get(
            self.context.pairing.turns[self.context.path_positions[record]], []
        )

    def is_first_in_message(self) -> bool:
        """Return whether this is the first finding of its message in this pass.

        A message is dropped once, not once for each of its calls.
        """
        message = self.context.message_numbers[self.context.pairing.path_positions[self.hit.tool]]
        if message in self.placer.handled_messages:
            return False
        self.placer.handled_messages.add(message)
        return True

    def calls_of_message(self, tool: int) -> list[int]:
        """Return the calls of the message that holds this one, as tool numbers."""
        columns, tool_of_row = self.context.columns, self.context.tool_by_block_row
        rows = [row for record in self.records_of_message(tool) for row in columns.block_rows(record)]
        return [tool_of_row[row] for row in rows if columns.block_kinds[row] == BlockKind.CALL]

    def drop_reasoning(self, tool: int) -> None:
        """Drop the reasoning of the message of a call.

        Reasoning is signed for its message as it was: a message that loses a call cannot keep it.
        """
        records = (
            self._reasoning_before(tool) if self.context.format.one_item_per_record else self.records_of_message(tool)
        )
        self.drop_reasoning_in(records, tr("the reasoning depends on a message that was changed"))

    def drop_reasoning_in(self, records: list[int], reason: str, only: int = -1) -> None:
        """Drop the reasoning in some records, with the ids that bind other items to it.

        With `only`, drop just the block with this ordinal.
        """
        for record in records:
            for ordinal, row in enumerate(self.context.columns.block_rows(record)):
                if self.context.columns.block_kinds[row] == BlockKind.THINKING and only in (-1, ordinal):
                    self.drop_block_with_loss("reasoning", record, ordinal, reason)
                    self._unbind(record, row)

    def _unbind(self, record: int, row: int) -> None:
        """Remove the ids by which the provider would look for a reasoning item from the items that follow it."""
        columns, path = self.context.columns, self.context.pairing.path
        if not self.context.sends_item_ids or not columns.call_ids[row]:
            return
        for position in range(self.context.path_positions[record] + 1, len(path)):
            rows = columns.block_rows(path[position])
            is_reasoning = rows and columns.block_kinds[rows[0]] == BlockKind.THINKING
            if columns.roles[path[position]] != Role.ASSISTANT or is_reasoning:
                break
            self.draft.block_edits(path[position]).drop_binding_id = True
            self.draft.add_reason(path[position], self.finding, REMOVED_BINDING_ID_REASON, "/id")

    def _reasoning_before(self, tool: int) -> list[int]:
        """Return the records of reasoning directly before a call: reasoning is bound to what follows it."""
        columns, path = self.context.columns, self.context.pairing.path
        records: list[int] = []
        for record in reversed(path[: self.context.pairing.path_positions[tool]]):
            kinds = {columns.block_kinds[row] for row in columns.block_rows(record)}
            if kinds == {BlockKind.THINKING}:
                records.append(record)
            elif columns.roles[record] != Role.LINK:
                break
        return records

    def drop_message_texts(self, tool: int, reason: str) -> None:
        """Drop everything in a message that is neither a call nor reasoning."""
        for record in self.records_of_message(tool):
            for ordinal, row in enumerate(self.context.columns.block_rows(record)):
                kind = self.context.columns.block_kinds[row]
                if kind not in (BlockKind.CALL, BlockKind.THINKING):
                    self.drop_block_with_loss("media" if kind == BlockKind.MEDIA else "text", record, ordinal, reason)

    def drop_block_with_loss(self, kind: str, record: int, ordinal: int, reason: str) -> None:
        if ordinal in self.draft.block_edits(record).drop:
            return
        text = self._text(record, ordinal)
        if text.strip() or kind != "text":
            self.draft.losses.append(Loss(kind, text, reason, self.draft.original_record(record)))
        self._drop(record, ordinal, reason)
