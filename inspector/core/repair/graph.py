"""Strategies for the record tree: linking again what lost its parent, new ids for records."""

from itertools import takewhile

from inspector.core.bytes import splice
from inspector.core.bytes.json_text import text_of
from inspector.core.formats.bases.new_ids import uuid_for
from inspector.core.index.columns import Mark
from inspector.core.index.record_tree import MISSING, Tree
from inspector.core.index.session import Break, Link
from inspector.core.repair.draft import Draft
from inspector.core.repair.task import Task
from inspector.core.scene.compactions import stitch_of
from inspector.core.scene.left_behind import branches


def relink(task: Task) -> None:
    """Hang a record off the one before it; further breaks on the way to the root are mended in the same go."""
    _relink(task, in_circle=False)


def relink_circle(task: Task) -> None:
    """The same where the parent that is named leads back to the record."""
    _relink(task, in_circle=True)


def _relink(task: Task, in_circle: bool) -> None:
    if not task.scene.format.links.parent or any(each.text for each in _links_at(task)):
        _hang_up(task)
        return
    scene = task.scene
    tree = Tree(scene.columns)
    record = task.hit.record
    seen: set[int] = set()
    while record >= 0:
        parent = tree.parents[record]
        if parent == MISSING or parent in seen or (in_circle and record == task.hit.record):
            parent = _before(task, tree, record, seen)
            task.draft.set_parent(record, _id_of(task, parent) if parent >= 0 else None)
            task.draft.because(record, task.finding, "linked to the record before it", f"/{scene.format.links.parent}")
            tree.parents[record] = parent
        seen.add(record)
        record = parent


def _links_at(task: Task) -> list[Link]:
    """The damaged links of the record that is named."""
    return [link for link in task.scene.thread.links if link.record == task.hit.record]


def _hang_up(task: Task) -> None:
    """Let records hang off something, where they name no parent; all that miss it in one go."""
    scene, draft = task.scene, task.draft
    links = [link for link in scene.thread.links if link.kind == Break.MISSING_PARENT]
    for record in dict.fromkeys(link.record for link in links if link.text or not scene.format.links.parent):
        *before, own = draft.format.relinked(scene.columns, record, draft.raw)
        for raw in before:
            draft.add_first(record, raw, task.reason("what the next record hangs off was not recorded"))
        if own != draft.raw(record):
            draft.replace(record, own)
            draft.because(record, task.finding, "hangs off what is open before it")


def count_on(task: Task) -> None:
    """A line and those behind it are numbered on from the line before it.

    Not where one of them is a compaction in whose list something was repaired: its line is written around that.
    """
    draft = task.draft
    found = list(draft.format.counted_on(task.scene.columns, task.hit.record, draft.raw))
    if any(_is_edited_within(draft, record) for record, _ in found):
        return
    for record, raw in found:
        draft.replace(record, raw)
        draft.because(record, task.finding, "numbered on from the line before it", "/ordinal")


def _is_edited_within(draft: Draft, record: int) -> bool:
    """Whether an element of a record, which is a record itself, was added, changed or dropped."""
    read, now = draft.log.columns, draft.columns
    slot = now.slots[record]
    elements = takewhile(lambda each: read.marks[each] & Mark.BARE, range(slot + 1, draft.originals))
    stay = takewhile(lambda each: now.marks[each] & Mark.BARE, range(record + 1, len(now)))
    changed = any(each in draft.texts or each in draft.dropped for each in elements)
    return changed or any(now.slots[each] >= draft.originals for each in stay)


def take_up(task: Task) -> None:
    """A turn that a program put in hangs off the newest message before it."""
    key = task.scene.format.links.parent
    torn = next(each for each in branches(task.scene) if each.torn_off_by == task.hit.record)
    task.draft.set_parent(task.hit.record, task.scene.columns.uuids[torn.last])
    task.draft.because(task.hit.record, task.finding, "linked to the newest message before it", f"/{key}")


def stitch(task: Task) -> None:
    """A compaction names the message that comes before it."""
    record, key = task.hit.record, task.scene.format.links.stitch
    named = stitch_of(task.scene, record)
    if named is not None:
        task.draft.replace(record, splice.set_member(task.draft.raw(record), "", key, text_of(named)))
        task.draft.because(record, task.finding, "names the message before it", f"/{key}")


def _before(task: Task, tree: Tree, record: int, seen: set[int]) -> int:
    """The nearest record before this one that it can hang off without closing a circle, -1 when there is none."""
    columns = task.scene.columns
    side = columns.marks[record] & Mark.SIDE
    below = {record}  # what is known to hang off the record
    for candidate in range(record - 1, -1, -1):
        # What stands within another record (BARE) is linked to nothing.
        fits = columns.roles[candidate] and not columns.marks[candidate] & (Mark.TRANSIENT | Mark.BARE)
        if not fits or columns.marks[candidate] & Mark.SIDE != side:
            continue
        if candidate in seen or candidate in below:
            continue
        way: dict[int, None] = {}
        at = candidate
        while at >= 0 and at not in below and at not in way:
            way[at] = None
            at = tree.parents[at]
        if at not in below:
            return candidate
        below.update(way)
    return -1


def join_path(task: Task) -> None:
    """A result that hangs beside the path joins it, right behind its siblings."""
    scene = task.scene
    call_id, pointer = scene.call_id(task.hit.tool), f"/{scene.format.links.parent}"
    for record in scene.thread.stranded:
        if any(scene.columns.call_ids[row] == call_id for row in scene.columns.rows(record)):
            _link_in(task, record)
            task.draft.because(record, task.finding, "joined to the path that the agent loads", pointer)
            return


def _link_in(task: Task, record: int) -> None:
    """Into the chain before the first record of the path that the log has after it: no byte needs to move."""
    draft, columns = task.draft, task.scene.columns
    slot, uuid = columns.slots[record], columns.uuids[record]
    path = task.scene.thread.path
    successor = next((other for other in path if other > record), None)
    draft.links.unlink(record)
    draft.links.set_parent(slot, None)
    if successor is not None:
        draft.links.insert_before(slot, uuid, successor)
    else:
        draft.links.append(slot, uuid, path[-1])


def reid(task: Task) -> None:
    """The later of two records with one id gets a new one; what was written after it hangs off the new id."""
    task.draft.links.rename(task.hit.record, _named(task, task.hit.record))


def _id_of(task: Task, record: int) -> str:
    """The id of a record; one that has none, so that nothing could hang off it, is given one."""
    return task.scene.columns.uuids[record] or _named(task, record)


def _named(task: Task, record: int) -> str:
    """Give a record a new id, and return that."""
    columns, key = task.scene.columns, task.scene.format.links.record
    new = uuid_for(f"{task.scene.session.id}:{columns.uuids[record]}:{columns.slots[record]}")
    task.draft.replace(record, splice.set_member(task.draft.raw(record), "", key, text_of(new)))
    task.draft.because(record, task.finding, "given an id of its own", f"/{key}")
    return new
