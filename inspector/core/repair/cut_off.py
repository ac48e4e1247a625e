"""Mending an exchange that a compaction cut: its result belongs before the compaction, or the cut before its call."""

from inspector.core.formats.bases.edits import Call
from inspector.core.index.session import CutExchange
from inspector.core.known_texts.placeholders import fill_template
from inspector.core.repair.task import Task
from inspector.core.scene.compactions import cut_exchanges_by_tool


def move_cut(task: Task) -> None:
    """What came for the call goes to it; or the cut goes before the call, where both had been recorded by then."""
    cut = cut_exchanges_by_tool(task.scene)[task.hit.tool]
    if cut.cut_before >= 0:
        raw = task.draft.format.move_cut(task.draft.raw(cut.boundary), cut.cut_before)
        task.draft.replace(cut.boundary, raw)
        task.draft.add_reason(cut.boundary, task.finding, "keeps the call with its result")
        return
    task.draft.move(cut.result, _place(task, cut), None, None)
    task.draft.add_reason(cut.result, task.finding, "moved to its call, before the compaction")


def answer_cut(task: Task) -> None:
    """A placeholder, although the call may be off the path: what waited behind it is heard again."""
    scene, columns = task.scene, task.scene.columns
    cut = next(cut for cut in scene.thread.cut_exchanges if cut.call == task.hit.record)
    call_id, name = columns.call_ids[cut.row] or "", columns.names[cut.row] or ""
    raw, ordinal = task.draft.raw(cut.call), cut.row - columns.first_block[cut.call]
    call = Call(call_id, name, raw, task.pointer(cut.call, ordinal))
    block = task.draft.format.result_block(call, fill_template(task.wording, name, call_id))
    record = task.draft.format.result_record(raw, [block], task.draft.new_id_seed(scene.session.id, task.finding))
    reason = task.reason("a placeholder says that no result was recorded")
    task.draft.add(_place(task, cut), record, None, None, reason)


def _place(task: Task, cut: CutExchange) -> int:
    return task.draft.format.result_position(task.scene.columns, cut.call, cut.call)
