"""Strategies for the record tree: new parents for records that lost theirs, and new ids.

After a repair, other fields that name records, and what a log counts of itself, are updated as well.
"""

import re
from itertools import takewhile

from inspector.core.analysis.abandoned_branches import abandoned_branches
from inspector.core.analysis.compactions import expected_compaction_link
from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.model.columns import RecordMark, Role
from inspector.core.model.record_tree import MISSING_PARENT, RecordTree, id_to_json
from inspector.core.model.session import DamagedLink, LinkDamage
from inspector.core.model.views import BlockKind
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Reason
from inspector.core.repair.task import Task
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, parse_json


def relink(task: Task) -> None:
    """Hang a record off the one before it; further breaks on the way to the root are mended in the same go."""
    _relink(task, in_circle=False)


def relink_cycle(task: Task) -> None:
    """The same where the parent that is named leads back to the record."""
    _relink(task, in_circle=True)


def _relink(task: Task, in_circle: bool) -> None:
    if not task.scene.format.link_keys.parent or any(each.text for each in _links_at(task)):
        _set_missing_parents(task)
        return
    scene = task.scene
    tree = RecordTree(scene.columns)
    record = task.hit.record
    seen: set[int] = set()
    while record >= 0:
        parent = tree.parents[record]
        if parent == MISSING_PARENT or parent in seen or (in_circle and record == task.hit.record):
            parent = _nearest_possible_parent(task, tree, record, seen)
            task.draft.set_parent(record, _id_of(task, parent) if parent >= 0 else None)
            task.draft.add_reason(
                record, task.finding, "linked to the record before it", f"/{scene.format.link_keys.parent}"
            )
            tree.parents[record] = parent
        seen.add(record)
        record = parent


def _links_at(task: Task) -> list[DamagedLink]:
    """The damaged links of the record that is named."""
    return [link for link in task.scene.thread.damaged_links if link.record == task.hit.record]


def _set_missing_parents(task: Task) -> None:
    """Let records hang off something, where they name no parent; all that miss it in one go."""
    scene, draft = task.scene, task.draft
    links = [link for link in scene.thread.damaged_links if link.kind == LinkDamage.MISSING_PARENT]
    for record in dict.fromkeys(link.record for link in links if link.text or not scene.format.link_keys.parent):
        *before, own = draft.format.relink(scene.columns, record, draft.raw)
        for raw in before:
            draft.add_before(record, raw, task.reason("what the next record hangs off was not recorded"))
        if own != draft.raw(record):
            draft.replace(record, own)
            draft.add_reason(record, task.finding, "hangs off what is open before it")


def renumber_lines(task: Task) -> None:
    """A line and those behind it are numbered on from the line before it.

    Not where one of them is a compaction in whose list something was repaired: its line is written around that.
    """
    draft = task.draft
    found = list(draft.format.renumber_from(task.scene.columns, task.hit.record, draft.raw))
    if any(_is_edited_within(draft, record) for record, _ in found):
        return
    for record, raw in found:
        draft.replace(record, raw)
        draft.add_reason(record, task.finding, "numbered on from the line before it", "/ordinal")


def _is_edited_within(draft: Draft, record: int) -> bool:
    """Whether an element of a record, which is a record itself, was added, changed or dropped."""
    read, now = draft.log.columns, draft.columns
    slot = now.stable_numbers[record]
    elements = takewhile(lambda each: read.marks[each] & RecordMark.NO_ENVELOPE, range(slot + 1, draft.original_count))
    stay = takewhile(lambda each: now.marks[each] & RecordMark.NO_ENVELOPE, range(record + 1, len(now)))
    changed = any(each in draft.texts or each in draft.dropped for each in elements)
    return changed or any(now.stable_numbers[each] >= draft.original_count for each in stay)


def relink_turn(task: Task) -> None:
    """A turn that a program put in hangs off the newest message before it."""
    key = task.scene.format.link_keys.parent
    torn = next(each for each in abandoned_branches(task.scene) if each.detached_child == task.hit.record)
    task.draft.set_parent(task.hit.record, task.scene.columns.uuids[torn.last])
    task.draft.add_reason(task.hit.record, task.finding, "linked to the newest message before it", f"/{key}")


def relink_compaction(task: Task) -> None:
    """A compaction names the message that comes before it."""
    record, key = task.hit.record, task.scene.format.link_keys.before_compaction
    named = expected_compaction_link(task.scene, record)
    if named is not None:
        task.draft.replace(record, json_edits.set_member(task.draft.raw(record), "", key, dump_json(named)))
        task.draft.add_reason(record, task.finding, "names the message before it", f"/{key}")


def _nearest_possible_parent(task: Task, tree: RecordTree, record: int, seen: set[int]) -> int:
    """The nearest record before this one that it can hang off without closing a circle, -1 when there is none."""
    columns = task.scene.columns
    side = columns.marks[record] & RecordMark.SIDE_THREAD
    below = {record}  # what is known to hang off the record
    for candidate in range(record - 1, -1, -1):
        # What stands within another record (BARE) is linked to nothing.
        fits = columns.roles[candidate] and not columns.marks[candidate] & (
            RecordMark.TRANSIENT | RecordMark.NO_ENVELOPE
        )
        if not fits or columns.marks[candidate] & RecordMark.SIDE_THREAD != side:
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


def join_active_path(task: Task) -> None:
    """A result that hangs beside the path joins it, right behind its siblings."""
    scene = task.scene
    call_id, pointer = scene.call_id(task.hit.tool), f"/{scene.format.link_keys.parent}"
    for record in scene.thread.stranded_results:
        if any(scene.columns.call_ids[row] == call_id for row in scene.columns.block_rows(record)):
            _insert_into_chain(task, record)
            task.draft.add_reason(record, task.finding, "joined to the path that the agent loads", pointer)
            return


def _insert_into_chain(task: Task, record: int) -> None:
    """Into the chain before the first record of the path that the log has after it: no byte needs to move."""
    draft, columns = task.draft, task.scene.columns
    slot, uuid = columns.stable_numbers[record], columns.uuids[record]
    path = task.scene.thread.path
    successor = next((other for other in path if other > record), None)
    draft.links.unlink(record)
    draft.links.set_parent(slot, None)
    if successor is not None:
        draft.links.insert_before(slot, uuid, successor)
    else:
        draft.links.append(slot, uuid, path[-1])


def assign_new_record_id(task: Task) -> None:
    """The later of two records with one id gets a new one; what was written after it hangs off the new id."""
    task.draft.links.rename_record(task.hit.record, _give_new_id(task, task.hit.record))


def _id_of(task: Task, record: int) -> str:
    """The id of a record; one that has none, so that nothing could hang off it, is given one."""
    return task.scene.columns.uuids[record] or _give_new_id(task, record)


def _give_new_id(task: Task, record: int) -> str:
    """Give a record a new id, and return that."""
    columns, key = task.scene.columns, task.scene.format.link_keys.record
    new = deterministic_uuid(f"{task.scene.session.id}:{columns.uuids[record]}:{columns.stable_numbers[record]}")
    task.draft.replace(record, json_edits.set_member(task.draft.raw(record), "", key, dump_json(new)))
    task.draft.add_reason(record, task.finding, "given an id of its own", f"/{key}")
    return new


# Ids of records that other records name beside the parent link: a drop or a new leaf must not leave them dangling.

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def repair_references(draft: Draft) -> bool:
    """Let what named a dropped record name what took its place, and an explicit leaf pointer the new leaf.

    Returns whether anything had to change.
    """
    if draft.dropped_uuids:
        survivors = {dump_json(uuid): id_to_json(_survivor(draft, uuid)) for uuid in draft.dropped_uuids}
        answers = _answers_to_dropped(draft)
        for record, (role, slot) in enumerate(zip(draft.columns.roles, draft.columns.stable_numbers, strict=True)):
            # Metadata can name any record; a message names the one that it hung off, so it was re-linked, and a result
            # the one with its call.
            if role in (Role.OPAQUE, Role.LINK) or slot in draft.texts or record in answers:
                _rename(draft, record, survivors)
    for old, new in draft.new_leaves.items():
        for record, mark in enumerate(draft.columns.marks):
            if mark & RecordMark.LEAF_POINTER:
                _update_leaf_pointer(draft, record, old, new)
    if not draft.has_pending:
        return False
    draft.commit()
    return True


def update_counts(draft: Draft) -> bool:
    """Let the format put right what its log counts of itself. Returns whether anything had to change."""
    if draft.columns is draft.log.columns:
        return False
    settled = draft.format.update_derived(draft.log.columns, draft.columns, draft.raw)
    for record, raw in settled.replaced.items():
        draft.replace(record, raw)
        draft.add_reason(record, "", settled.reason, settled.pointer)
    for record in settled.deleted:
        draft.delete(record)
        draft.add_reason(record, "", settled.reason)
    for record, raw in settled.added:
        draft.add(record, raw, None, None, Reason("", settled.reason))
    if not draft.has_pending:
        return False
    draft.commit()
    return True


def _answers_to_dropped(draft: Draft) -> set[int]:
    """The records of results whose id a dropped record had as well."""
    read, now = draft.log.columns, draft.columns
    dropped = {read.call_ids[row] for slot in draft.dropped for row in read.block_rows(slot)} - {None}
    if not dropped:
        return set()
    named = zip(now.block_kinds, now.call_ids, strict=True)
    return {
        now.record_of_block(row)
        for row, (kind, call_id) in enumerate(named)
        if kind == BlockKind.RESULT and call_id in dropped
    }


def _survivor(draft: Draft, uuid: str | None) -> str | None:
    while uuid in draft.dropped_uuids:
        uuid = draft.dropped_uuids[uuid]
    return uuid


def _rename(draft: Draft, record: int, survivors: dict[bytes, bytes]) -> None:
    """Exchange the ids among the strings of a record; one look for all of them, however many are gone."""
    raw = draft.raw(record)
    if survivors.keys().isdisjoint(_STRING.findall(raw)):
        return  # So it is with most, and to see that takes less time than to write them anew.
    new = _STRING.sub(lambda string: survivors.get(string[0], string[0]), raw)
    if new != raw:
        draft.replace(record, new)
        draft.add_reason(record, "", "names the record that took the place of a dropped one")


def _update_leaf_pointer(draft: Draft, record: int, old: str, new: str) -> None:
    raw, (key, counts) = draft.raw(record), draft.format.link_keys.leaf
    row = parse_json(raw)
    if key and row.get(counts) is True and row.get(key) == old:
        draft.replace(record, json_edits.set_member(raw, "", key, dump_json(new)))
        draft.add_reason(record, "", "names the new leaf", f"/{key}")
