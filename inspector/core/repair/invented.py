"""Inventing a call for a result that has none: what Gemini CLI does. The call says that it was added."""

from inspector.core.formats.bases.edits import Call
from inspector.core.index.views import BlockKind
from inspector.core.repair.task import Task
from inspector.core.repair.zone import chain_links_after
from inspector.core.scene import ThreadContext
from inspector.core.scene.pairing import PairingState
from inspector.core.scene.tool_names import recorded_tool_name

_NOTE = (
    "[No call was recorded for the result that follows. This one was added so that the result can stay; "
    "what it was given is not known.]"
)
_NAME = "unrecorded_call"


def invent_call(task: Task) -> None:
    """A call without input right before the result; a result beside those of other calls goes behind them with it."""
    scene, tool, draft = task.scene, task.hit.tool, task.draft
    record, ordinal = scene.tool_location(tool)
    raw = draft.raw(record)
    call = Call(scene.call_id(tool), recorded_tool_name(scene, tool) or _NAME, raw, task.pointer(record, ordinal))
    seed = draft.new_id_seed(scene.session.id, task.finding)
    made = draft.format.call_records(call, _NOTE, seed)
    reason = task.reason("a call invented for the result behind it; its input is not known")
    if not _is_beside_answers(scene, record):
        for each in made:
            draft.add_before(record, each, reason)
        return
    block = scene.format.block_bytes(scene.columns, record, raw, ordinal)
    task.drop_block(tool, "moved behind the call invented for it")
    made.append(draft.format.result_record(made[-1], [block], f"{seed}:result"))
    successor, leaf = chain_links_after(scene, scene.pairing.path_positions[tool], draft.pending.deleted)
    for each in made:
        draft.add(record, draft.format.match_form(each, raw), successor, leaf, reason)


def _is_beside_answers(scene: ThreadContext, record: int) -> bool:
    """Whether a record also holds results of calls that are there."""
    rows = [row for row in scene.columns.block_rows(record) if scene.columns.block_kinds[row] == BlockKind.RESULT]
    return any(scene.pairing.states[scene.tool_by_block_row[row]] == PairingState.PAIRED for row in rows)
