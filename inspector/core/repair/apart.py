"""Results that stand beside other things in one message, for a provider that wants them by themselves."""

from operator import itemgetter

from inspector.core.index.views import BlockKind
from inspector.core.repair.task import Task


def split_results(task: Task) -> None:
    """The results of a message to one of their own before it, in the order of their calls; what else it holds stays."""
    scene, draft, record = task.scene, task.draft, task.hit.record
    raw, found = draft.raw(record), []
    for ordinal, row in enumerate(scene.columns.block_rows(record)):
        if scene.columns.block_kinds[row] == BlockKind.RESULT:
            call = scene.pairing.counterparts[scene.tool_by_block_row[row]]
            found.append((call, scene.format.block_bytes(scene.columns, record, raw, ordinal)))
            draft.block_edits(record).drop.add(ordinal)
            task.add_reason(record, ordinal, "moved to a message of their own")
    if draft.format.block_schema.results_in_call_order:
        found.sort(key=itemgetter(0))
    blocks = [block for _, block in found]
    made = draft.format.result_record(raw, blocks, draft.new_id_seed(scene.session.id, task.finding))
    draft.add_before(record, made, task.reason("the results of the message behind it"))
