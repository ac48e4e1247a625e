"""Strategies for what is bound to its surroundings: reasoning, calls of the provider's own tools, media."""

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import dump_json
from inspector.core.index.views import BlockKind
from inspector.core.repair.edits import Loss
from inspector.core.repair.task import UNBOUND_REASON, Task
from inspector.core.scene.media_limits import refused_media
from inspector.core.scene.reasoning import repeated_reasoning_ids
from inspector.core.wire.media.measured import MeasuredMedia

_ONE_ID = "another item with its id is kept"


def strip_reasoning(task: Task) -> None:
    task.drop_reasoning_in([task.hit.record], "it is no longer valid where it stands", task.hit.ordinal)


def strip_message_reasoning(task: Task) -> None:
    """The reasoning of a message that must be whole, or not there."""
    task.drop_reasoning_in(
        task.records_at(task.scene.path_positions[task.hit.record]), "reasoning of a message goes together"
    )


def strip_turn_reasoning(task: Task) -> None:
    """The same of a turn."""
    task.drop_reasoning_in(task.records_of_turn(task.hit.record), "reasoning of a turn goes together")


def keep_first_reasoning(task: Task) -> None:
    """The later of two items with one id goes; what it says is lost, unless it says the same."""
    record = task.hit.record
    if task.draft.raw(record) != task.draft.raw(repeated_reasoning_ids(task.scene)[record]):
        task.drop_block_with_loss("reasoning", record, 0, _ONE_ID)
    else:
        task.draft.delete(record)
        task.draft.add_reason(record, task.finding, _ONE_ID)


def keep_newest_reasoning(task: Task) -> None:
    """The newest of the items with one id takes the place of the first, before what it led to; the others go."""
    again = repeated_reasoning_ids(task.scene)
    record, first = task.hit.record, again[task.hit.record]
    if max(each for each, known in again.items() if known == first) != record:
        keep_first_reasoning(task)
        return
    draft, raw = task.draft, task.draft.raw(record)
    if raw != draft.raw(first):
        view = task.scene.block_view(first, 0)
        draft.losses.append(Loss("reasoning", view.text if view else "", _ONE_ID, draft.original_record(first)))
        draft.replace(first, raw)
        draft.add_reason(first, task.finding, "the newest one of its id")
    draft.delete(record)
    draft.add_reason(record, task.finding, "put in the place of the first one of its id")


def drop_server_block(task: Task) -> None:
    """A call or a result of the provider's own tool, and the reasoning that is signed for its message as it was."""
    scene, hit = task.scene, task.hit
    row = scene.columns.first_block[hit.record] + hit.ordinal
    kind = "call" if scene.columns.block_kinds[row] == BlockKind.SERVER_CALL else "result"
    task.drop_block_with_loss(kind, hit.record, hit.ordinal, "its other half is not in its turn")
    task.drop_reasoning_in(task.records_of_turn(hit.record), "bound to a message that was changed")


def remove_binding_id(task: Task) -> None:
    """An item goes without the id by which the provider looks for its reasoning."""
    task.draft.block_edits(task.hit.record).drop_binding_id = True
    task.draft.add_reason(task.hit.record, task.finding, UNBOUND_REASON, "/id")


def add_placeholder_signature(task: Task) -> None:
    """A call gets the stand-in that its provider documents for a lost signature."""
    scene, draft, hit = task.scene, task.draft, task.hit
    block = scene.format.block_bytes(scene.columns, hit.record, draft.raw(hit.record), hit.ordinal)
    draft.block_edits(hit.record).replace[hit.ordinal] = draft.format.with_signature(block)
    text = "the provider's stand-in for a lost signature"
    task.add_reason(hit.record, hit.ordinal, text)


def replace_media(task: Task) -> None:
    """A text takes the place of every image of the block that is refused."""
    scene, draft = task.scene, task.draft
    record, ordinal = task.hit.record, task.hit.ordinal
    block = scene.format.block_bytes(scene.columns, record, draft.raw(record), ordinal)
    told = scene.format.block_schema.text
    assert told is not None, "no rule offers it where blocks stand alone"
    for medium in reversed(refused_media(scene)[record, ordinal].media):
        block = splice.replace_value(block, medium.pointer, dump_json(told(_omission_note(medium))))
        lost = Loss("media", medium.description, "the provider does not take it", draft.original_record(record))
        draft.losses.append(lost)
    draft.block_edits(record).replace[ordinal] = block
    task.add_reason(record, ordinal, "a text says what stood there")


def _omission_note(medium: MeasuredMedia) -> str:
    return f"[{'image' if medium.is_image else 'document'} omitted: {medium.description}]"
