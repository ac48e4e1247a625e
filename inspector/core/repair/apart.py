"""Results that stand beside other things in one message, for a provider that wants them by themselves."""

from operator import itemgetter

from inspector.core.index.views import BlockKind
from inspector.core.repair.task import Task


def set_apart(task: Task) -> None:
    """The results of a message to one of their own before it, in the order of their calls; what else it holds stays."""
    scene, draft, record = task.scene, task.draft, task.hit.record
    raw, found = draft.raw(record), []
    for ordinal, row in enumerate(scene.columns.rows(record)):
        if scene.columns.block_kinds[row] == BlockKind.RESULT:
            call = scene.pairing.peers[scene.tool_of_row[row]]
            found.append((call, scene.format.block_bytes(scene.columns, record, raw, ordinal)))
            draft.blocks(record).drop.add(ordinal)
            task.because(record, ordinal, "moved to a message of their own")
    if draft.format.spelling.in_order:
        found.sort(key=itemgetter(0))
    blocks = [block for _, block in found]
    made = draft.format.result_record(raw, blocks, draft.seed(scene.session.id, task.finding))
    draft.add_first(record, made, task.reason("the results of the message behind it"))
