"""The strategies that a person can choose, and what they do to calls and results. STRATEGIES is the table."""

from itertools import takewhile
from operator import itemgetter

from msgspec import Struct

from inspector.core.analysis.compactions import cut_exchanges_by_tool_block
from inspector.core.analysis.pairing import PairingState
from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.analysis.unmatched_results import (
    call_by_other_id_result,
    call_of_result,
    open_call_by_wrong_id_result,
    recorded_tool_name,
)
from inspector.core.check.strategy_costs import STRATEGY_COSTS, CostLevel
from inspector.core.formats.base.lost_results import LostResultSource
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.columnar_index import Role
from inspector.core.model.session import ExchangeCutByCompaction
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_views import media_parts_in_result
from inspector.core.providers.media import describe_media
from inspector.core.providers.placeholders import RESULT_NOTE_HEADING, fill_template
from inspector.core.repair.insertion_point import insertion_point_of, next_and_last_on_chain
from inspector.core.repair.strategy_task import StrategyTask
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr


class Strategy(Struct, frozen=True):
    """A strategy in plain words. STRATEGY_COSTS has its cost, STRATEGY_FUNCTIONS what carries it out."""

    name: str
    summary: str

    @property
    def cost(self) -> CostLevel:
        return STRATEGY_COSTS[self.name]


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("leave", tr("Change nothing.")),
        Strategy("answer", tr("Add a placeholder result stating that no result was recorded.")),
        Strategy(
            "recover",
            tr("Restore the actual result from elsewhere in the log or from another file of the same session."),
        ),
        Strategy("adopt", tr("Copy the result from another log of the same conversation.")),
        Strategy("move", tr("Move the result to its call.")),
        Strategy("merge", tr("Merge results that belong together into one message.")),
        Strategy("invent-call", tr("Add a call before the result. The call has no input and is marked as invented.")),
        Strategy("undo-placeholder", tr("Remove the placeholder, so that the call has no result again.")),
        Strategy("drop-call", tr("Drop only the call.")),
        Strategy("drop-exchange", tr("Drop the message with its results and reasoning.")),
        Strategy("drop-message", tr("Drop only the message (neovate preset only).")),
        Strategy("drop", tr("Drop this result (or repeated call).")),
        Strategy("keep-as-note", tr("Keep the text of the result, and mark it as quoted output.")),
        Strategy("keep-first", tr("Keep the first result, and drop this one.")),
        Strategy("keep-last", tr("Keep this result, and drop the first one.")),
        Strategy("rename", tr("Give the call and its result a new id.")),
        Strategy("match", tr("Give this result the id of the call that has no result.")),
        Strategy("reid", tr("Give the later record a new id.")),
        Strategy("relink", tr("Link the record to the one before it.")),
        Strategy("cut-tail", tr("Cut the history after the last complete exchange.")),
        Strategy("normalise", tr("Write the value in a form that the provider accepts.")),
        Strategy("strip-reasoning", tr("Drop reasoning that is no longer valid.")),
        Strategy("replace-media", tr("Replace a rejected image with text.")),
        Strategy("prepend-user", tr("Add a short user message at the beginning.")),
        Strategy("reorder", tr("Put a message's text before its calls.")),
        Strategy("bridge", tr("Add a short assistant note before the user message.")),
        Strategy("quarantine", tr("Move the damaged bytes to a separate file next to the repaired log.")),
        Strategy("salvage", tr("Keep the readable content of the damaged part.")),
    )
}


def insert_placeholder_result(task: StrategyTask) -> None:
    context, tool = task.context, task.hit.tool
    name, call_id = recorded_tool_name(context, tool), context.call_id(tool)
    block = task.draft.format.result_block(task.call(tool), fill_template(task.wording, name, call_id))
    task.placer.place_result(context, tool, block, task.reason(tr("a placeholder states that no result was recorded")))


def recover_result(task: StrategyTask) -> None:
    """Write the result that lies outside of the conversation, as the agent would have written it."""
    context, tool = task.context, task.hit.tool
    lost = task.draft.lost_result(*context.tool_location(tool))
    assert lost is not None, "it is chosen only where a result was found"
    call, format = task.call(tool), task.draft.format
    block = format.recovered_block(call, lost) if isinstance(format, LostResultSource) else None
    block = format.result_block(call, lost.text, lost.failed) if block is None else block
    task.draft.recovered[context.session.number, context.call_id(tool)] = lost
    what = tr("the real result") if lost.is_certain else tr("the possible result")
    task.placer.place_result(
        context, tool, block, task.reason(tr("{what}, recovered from {place}", what=what, place=lost.place))
    )


def move_result_to_call(task: StrategyTask) -> None:
    """Move a result to its call: the record itself where it holds nothing else, else the block."""
    record = task.context.pairing.record_of(task.hit.tool)
    _move(task, record if task.context.columns.blocks[record] == 1 else None)


def move_result_block_to_call(task: StrategyTask) -> None:
    """Move a result to its call, out of a record that holds more than results."""
    _move(task, None)


def _move(task: StrategyTask, whole: int | None) -> None:
    context, tool = task.context, task.hit.tool
    record, ordinal = context.tool_location(tool)
    if ordinal in task.dropped_in(record):
        return  # This pass drops its call, and the result with it.
    block = context.format.block_bytes(context.columns, record, task.draft.raw(record), ordinal)
    reason = task.reason(tr("moved to its call"))
    if whole is None:
        task.drop_block(tool, reason.text)
    task.placer.place_result(context, context.pairing.counterparts[tool], block, reason, whole)


def move_result_before_text(task: StrategyTask) -> None:
    """Move a result to the results that open its message.

    Where the provider requires results alone, all results of the message leave it.
    """
    context, tool = task.context, task.hit.tool
    if context.profile.requires_results_alone:
        move_results_to_own_message(task)
        return
    record, ordinal = context.tool_location(tool)
    kinds = (context.columns.block_kinds[row] for row in context.columns.block_rows(record))
    lead = sum(1 for _ in takewhile(lambda kind: kind == BlockKind.RESULT, kinds))
    task.move_block(record, ordinal, lead, tr("moved before the text"))


def keep_result_as_note(task: StrategyTask) -> None:
    """Keep the text of a result as words of the user in its place."""
    _note(task, "result without its call")


def keep_duplicate_result_as_note(task: StrategyTask) -> None:
    _note(task, "second result")


def keep_result_as_note_after_results(task: StrategyTask) -> None:
    """Keep the text of a result that is in a message of the assistant.

    Some providers refuse text after a call, so the note is put after the results.
    """
    _note(task, "result without its call", _call_before(task.context, task.hit.tool))


def _note(task: StrategyTask, what: str, call: int = -1) -> None:
    """Keep the text of a result as a note.

    The note goes after the results of `call`; with -1 it stays in the place of the result.
    """
    context, tool = task.context, task.hit.tool
    if not context.result_text(tool).strip():
        task.report_loss("result", "", tr("the result has no text that could be kept in a note"), tool)
        task.drop_block(tool, tr("the result has no text"))
        return
    record, ordinal = context.tool_location(tool)
    head = f"[{what}, id {context.call_id(tool)}; {RESULT_NOTE_HEADING}]"
    text, reason = f"{head}\n{context.result_text(tool)}", tr("kept as quoted text")
    of_results = context.columns.roles[record] == Role.TOOL and context.columns.blocks[record] > 1
    if task.draft.format.holds_results(context.columns, record):
        call = _call_before(context, tool)  # the agent sends what a call holds as its results, which stand alone
    # A tool message may hold only results, and off the parent chain only results are read: the text becomes a message
    # of its own.
    is_apart = call >= 0 or of_results or record in context.off_parent_chain
    _report_media_lost_by_note(task, record, ordinal, is_apart)
    if call >= 0:
        zone = insertion_point_of(context, call)
        _add_note(task, text, reason, zone.after, zone.position)
    elif is_apart:
        turn = context.pairing.turns[context.pairing.path_positions[tool]]
        _add_note(task, text, reason, record, _last_results(context)[turn])
    else:
        task.draft.replace_with_note(record, ordinal, text)
        task.add_reason(record, ordinal, reason)


def _report_media_lost_by_note(task: StrategyTask, record: int, ordinal: int, is_apart: bool) -> None:
    """Report the media that a note cannot hold. A note that `is_apart` is a message of its own, and holds none."""
    format = task.draft.format
    block = parse_json(format.block_bytes(task.context.columns, record, task.draft.raw(record), ordinal))
    kept = {id(part): part for part in format.media_of(block)}
    found = {id(part): part for part in media_parts_in_result(block, format.block_schema)}
    for key, part in (found | kept).items():
        if is_apart or key not in kept:
            reason = tr("a note in this position cannot contain this content")
            task.report_loss("media", describe_media(part, format.block_schema), reason, task.hit.tool)


def _add_note(task: StrategyTask, text: str, reason: str, after: int, position: int) -> None:
    """Drop the result, and add a user message with its text after a record and a position of the path."""
    context, draft = task.context, task.draft
    like = draft.raw(task.hit.record)
    task.drop_block(task.hit.tool, reason)
    raw = draft.format.user_record(like, text, draft.new_id_seed(context.session.id, task.finding))
    successor, leaf = next_and_last_on_chain(context, position, draft.pending.deleted)
    after = after if successor is not None else max(after, leaf)
    draft.add(after, draft.format.match_form(raw, draft.raw(after)), successor, leaf, task.reason(reason))


def _call_before(context: ThreadContext, tool: int) -> int:
    """Return the call that precedes a block in its message, -1 for none."""
    pairing, kinds = context.pairing, context.columns.block_kinds
    for other in range(tool - 1, -1, -1):
        if pairing.message_of(other) != pairing.message_of(tool):
            break
        if kinds[pairing.block_rows[other]] == BlockKind.CALL:
            return other
    return -1


@cached_on_thread
def _last_results(context: ThreadContext) -> dict[int, int]:
    """Return the position on the path of the last result of each turn that has one."""
    pairing, columns = context.pairing, context.columns
    return {
        turn: position
        for position, (turn, record) in enumerate(zip(pairing.turns, pairing.path, strict=True))
        if any(columns.block_kinds[row] == BlockKind.RESULT for row in columns.block_rows(record))
    }


def drop_call_or_result(task: StrategyTask) -> None:
    """Drop a call or a result."""
    context, tool = task.context, task.hit.tool
    if context.columns.block_kinds[context.pairing.block_rows[tool]] == BlockKind.CALL:
        drop_call_and_result(task)
        return
    task.drop_result(tool, tr("dropped"))


def drop_redundant_result(task: StrategyTask) -> None:
    """Drop a result that says nothing more than the one that stays."""
    task.drop_block(task.hit.tool, tr("dropped"))


def drop_repeated_call(task: StrategyTask) -> None:
    if task.context.pairing.counterparts[task.hit.tool] < 0:
        task.drop_block(task.hit.tool, tr("the call repeats an earlier call"))
    else:
        drop_call_and_result(task)


def keep_last_result(task: StrategyTask) -> None:
    """Drop the first result.

    The next pass finds the later one in its place, or moves it there.
    """
    context = task.context
    first = context.pairing.counterparts[call_of_result(context, task.hit.tool)]
    if context.result_text(first) != context.result_text(task.hit.tool):
        task.report_loss("result", context.result_text(first), tr("a later result was kept"), first)
    task.drop_block(first, tr("a later result was kept"))


def rename_result_to_open_call_id(task: StrategyTask) -> None:
    context, tool = task.context, task.hit.tool
    call = open_call_by_wrong_id_result(context)[tool]
    record, ordinal = context.tool_location(tool)
    task.draft.block_edits(record).rename[ordinal] = context.call_id(call)
    task.add_reason(record, ordinal, tr("id changed to match the call"))


def rename_call_id(task: StrategyTask) -> None:
    """Give a call and every result that is bound to it an id that no call has yet."""
    _rename(task, task.new_id(task.context.call_id(task.hit.tool)), _with_results(task))


def rename_to_legal_id(task: StrategyTask) -> None:
    """Give them an id that keeps what the provider accepts of the old one."""
    _rename(task, task.legal_id(task.context.call_id(task.hit.tool)), _with_results(task))


def give_call_and_result_same_id(task: StrategyTask) -> None:
    """Give a result that names its call by another id the id of the call.

    A call without an id gets the one by which its result names it.
    """
    context, tool = task.context, task.hit.tool
    call = call_by_other_id_result(context)[tool]
    if context.call_id(call):
        _rename(task, context.call_id(call), [tool])
    else:
        _rename(task, context.call_id(tool), [call])


def _with_results(task: StrategyTask) -> list[int]:
    return [task.hit.tool, *task.context.results_by_call.get(task.hit.tool, ())]


def _rename(task: StrategyTask, new: str, renamed: list[int]) -> None:
    for each in renamed:
        record, ordinal = task.context.tool_location(each)
        task.draft.block_edits(record).rename[ordinal] = new
        task.add_reason(record, ordinal, tr("renamed to {new}", new=new))


def drop_call_and_result(task: StrategyTask) -> None:
    """Drop a call, its result if it has one, and reasoning that is bound to the message as it was."""
    context, tool = task.context, task.hit.tool
    result = context.pairing.counterparts[tool]
    if result >= 0:
        if context.pairing.record_of(result) in task.draft.pending.deleted:
            return  # This pass moves the result to its call: the next one drops both.
        task.drop_result(result, tr("its call was dropped"))
    task.drop_call(tool, tr("dropped"))


def drop_calls_of_message(task: StrategyTask) -> None:
    """Drop the calls of a message, their results and its reasoning.

    The texts stay only where some call was answered.
    """
    if not task.is_first_in_message():
        return
    context = task.context
    calls = task.calls_of_message(task.hit.tool)
    answered = False
    for call in calls:
        result = context.pairing.counterparts[call]
        if result >= 0:
            answered = True
            task.drop_result(result, tr("the whole exchange was dropped"))
        task.drop_call(call, tr("the whole exchange was dropped"))
    if not answered:
        task.drop_message_texts(task.hit.tool, tr("the whole exchange was dropped"))


def drop_message(task: StrategyTask) -> None:
    """Drop the whole message alone, as Neovate's design does.

    Results of answered siblings are left as orphans.
    """
    if not task.is_first_in_message():
        return
    for call in task.calls_of_message(task.hit.tool):
        task.drop_call(call, tr("its message was dropped"))
    task.drop_message_texts(task.hit.tool, tr("its message was dropped"))


def move_result_to_siblings(task: StrategyTask) -> None:
    """Move a result to the message of its siblings."""
    context, tool = task.context, task.hit.tool
    if context.format.inline_results:
        move_result_to_call(task)
        return
    record, ordinal = context.tool_location(tool)
    turn = context.pairing.turn_of(tool)
    first = next(r for r, t in zip(context.pairing.path, context.pairing.turns, strict=True) if t == turn)
    block = context.format.block_bytes(context.columns, record, task.draft.raw(record), ordinal)
    lead = sum(context.columns.block_kinds[row] == BlockKind.RESULT for row in context.columns.block_rows(first))
    put = task.draft.insert_block(first, lead, block)
    task.draft.add_reason(first, task.finding, tr("merged with the other results of its turn"), block=put)
    task.drop_block(tool, tr("merged with the other results of its turn"))


def move_result_or_compaction_cut(task: StrategyTask) -> None:
    """Move the result to the call, or the cut to before the call where both had been recorded by then."""
    cut = cut_exchanges_by_tool_block(task.context)[task.hit.tool]
    if cut.cut_before >= 0:
        raw = task.draft.format.move_cut(task.draft.raw(cut.boundary), cut.cut_before)
        task.draft.replace(cut.boundary, raw)
        task.draft.add_reason(cut.boundary, task.finding, tr("keeps the call together with its result"))
        return
    task.draft.move(cut.result, _place(task, cut), None, None)
    task.draft.add_reason(cut.result, task.finding, tr("moved to its call, before the compaction"))


def answer_call_cut_by_compaction(task: StrategyTask) -> None:
    """Answer a call that a compaction cut off, although it may be off the path.

    What waited for the result is sent again.
    """
    context, columns = task.context, task.context.columns
    cut = next(cut for cut in context.thread.cut_exchanges if cut.call == task.hit.record)
    call_id, name = columns.call_ids[cut.row] or "", columns.names[cut.row] or ""
    raw, ordinal = task.draft.raw(cut.call), cut.row - columns.first_block[cut.call]
    call = CallContext(call_id, name, raw, task.pointer(cut.call, ordinal))
    block = task.draft.format.result_block(call, fill_template(task.wording, name, call_id))
    record = task.draft.format.result_record(raw, [block], task.draft.new_id_seed(context.session.id, task.finding))
    reason = task.reason(tr("a placeholder states that no result was recorded"))
    task.draft.add(_place(task, cut), record, None, None, reason)


def _place(task: StrategyTask, cut: ExchangeCutByCompaction) -> int:
    return task.draft.format.result_position(task.context.columns, cut.call, cut.call)


def move_results_to_own_message(task: StrategyTask) -> None:
    """Move the results of a message to a message of their own before it, in the order of their calls.

    The other content stays.
    """
    context, draft, record = task.context, task.draft, task.hit.record
    raw, found = draft.raw(record), []
    for ordinal, row in enumerate(context.columns.block_rows(record)):
        if context.columns.block_kinds[row] == BlockKind.RESULT:
            call = context.pairing.counterparts[context.tool_by_block_row[row]]
            found.append((call, context.format.block_bytes(context.columns, record, raw, ordinal)))
            draft.block_edits(record).drop.add(ordinal)
            task.add_reason(record, ordinal, tr("moved to a separate message"))
    if draft.format.block_schema.results_in_call_order:
        found.sort(key=itemgetter(0))
    blocks = [block for _, block in found]
    made = draft.format.result_record(raw, blocks, draft.new_id_seed(context.session.id, task.finding))
    draft.add_before(record, made, task.reason(tr("contains the results that were in the next message")))


_NOTE = (
    "[No call was recorded for the result that follows. This one was added so that the result can stay; "
    "what it was given is not known.]"
)
_NAME = "unrecorded_call"


def invent_call(task: StrategyTask) -> None:
    """Add a call without input right before the result, as Gemini CLI does. The call says that it was added.

    A result next to those of other calls goes after them, together with the call.
    """
    context, tool, draft = task.context, task.hit.tool, task.draft
    record, ordinal = context.tool_location(tool)
    raw = draft.raw(record)
    call = CallContext(
        context.call_id(tool), recorded_tool_name(context, tool) or _NAME, raw, task.pointer(record, ordinal)
    )
    seed = draft.new_id_seed(context.session.id, task.finding)
    made = draft.format.call_records(call, _NOTE, seed)
    reason = task.reason(tr("an invented call for the next result (the input of the call is unknown)"))
    if not _is_beside_answers(context, record):
        for each in made:
            draft.add_before(record, each, reason)
        return
    block = context.format.block_bytes(context.columns, record, raw, ordinal)
    task.drop_block(tool, tr("moved after its invented call"))
    made.append(draft.format.result_record(made[-1], [block], f"{seed}:result"))
    successor, leaf = next_and_last_on_chain(context, context.pairing.path_positions[tool], draft.pending.deleted)
    for each in made:
        draft.add(record, draft.format.match_form(each, raw), successor, leaf, reason)


def _is_beside_answers(context: ThreadContext, record: int) -> bool:
    """Return whether a record also holds results of calls that exist."""
    rows = [row for row in context.columns.block_rows(record) if context.columns.block_kinds[row] == BlockKind.RESULT]
    return any(context.pairing.states[context.tool_by_block_row[row]] == PairingState.PAIRED for row in rows)


def reopen_call(task: StrategyTask) -> None:
    """Remove a placeholder, so that its call is open again and other choices decide about it."""
    task.draft.undone_placeholders.add(_call_of(task))
    task.drop_block(task.hit.tool, tr("the result is a placeholder, not the output of a tool"))


def is_placeholder_undone(task: StrategyTask) -> bool:
    """Return whether the placeholder of this call was removed before: the one that the repair added stays."""
    return _call_of(task) in task.draft.undone_placeholders


def equals_own_placeholder(task: StrategyTask) -> bool:
    """Return whether the placeholder is, word for word, the one that this repair would add."""
    context, tool = task.context, task.hit.tool
    return context.result_text(tool).strip() == fill_template(
        task.wording, recorded_tool_name(context, tool), context.call_id(tool)
    )


def _call_of(task: StrategyTask) -> tuple[int, int]:
    """Return the slot of the call's record and its ordinal.

    The id of the call may change in the next pass.
    """
    record, ordinal = task.context.tool_location(task.context.pairing.counterparts[task.hit.tool])
    return task.draft.columns.stable_numbers[record], ordinal
