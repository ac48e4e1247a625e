"""Messages that are not written as any provider takes them."""

from typing import Any

from inspector.core.bytes.json_text import parse_json
from inspector.core.formats.bases.message_arrays import is_nothing
from inspector.core.index.columns import RecordMark
from inspector.core.scene.once import cached_on_thread
from inspector.core.scene.scene import ThreadContext
from inspector.core.wire.shapes.shape import Misfit


@cached_on_thread
def malformed_messages(scene: ThreadContext) -> dict[int, list[Misfit]]:
    """What does not fit, by record; only those that the index suspects are parsed. An empty message is class M7's."""
    columns = scene.columns
    if not columns.has_mark(RecordMark.MAYBE_MALFORMED):
        return {}
    found = {}
    for record in scene.thread.path:
        if columns.marks[record] & RecordMark.MAYBE_MALFORMED:
            value = parse_json(scene.raw(record))
            if (each := scene.format.misfits(value)) and not (record in scene.empty_messages and _is_empty(value)):
                found[record] = each
    return found


def _is_empty(message: Any) -> bool:
    """Whether it is written as one that says nothing; a number or an object says nothing in another way."""
    if not isinstance(message, dict):
        return True
    return any(is_nothing(message, key) and message.get(key) in (None, "", []) for key in ("content", "parts"))
