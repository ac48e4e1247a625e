"""Undoing a placeholder: it goes, and its call is open again, for the other choices to decide about."""

from inspector.core.known_texts.placeholders import fill_template
from inspector.core.repair.task import Task
from inspector.core.scene.tool_names import recorded_tool_name


def undo_placeholder(task: Task) -> None:
    task.draft.undone_placeholders.add(_call_of(task))
    task.drop_block(task.hit.tool, "a placeholder: no tool gave this result")


def is_undone(task: Task) -> bool:
    """Whether this call's placeholder was taken away before: the one that the repair put in its place stays."""
    return _call_of(task) in task.draft.undone_placeholders


def is_same_placeholder(task: Task) -> bool:
    """Whether the placeholder is, word for word, the one that this repair would put in its place."""
    scene, tool = task.scene, task.hit.tool
    return scene.result_text(tool).strip() == fill_template(
        task.wording, recorded_tool_name(scene, tool), scene.call_id(tool)
    )


def _call_of(task: Task) -> tuple[int, int]:
    """The slot of the call's record and its place in it: its id may be another one in the next pass."""
    record, ordinal = task.scene.tool_location(task.scene.pairing.counterparts[task.hit.tool])
    return task.draft.columns.stable_numbers[record], ordinal
