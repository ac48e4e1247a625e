"""A log under repair: the log as read, with records replaced, dropped, moved and added in memory.

Operations name records by their number in `columns`, the index of the draft as it is. `commit` carries them out and
indexes what changed, so that the next check sees the very bytes that would be written. A record keeps its slot: its
number in the log as read, or for an added record the next free one.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from msgspec import Struct

from inspector.core.analysis.lost_results import LostResults
from inspector.core.errors import NotVerified
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.formats.base.writer import BlockEdits, UsedIds, Writer
from inspector.core.model.columnar_index import Columns, RecordMark
from inspector.core.model.record_tree import id_to_json
from inspector.core.model.session import Log
from inspector.core.model.views import one_based
from inspector.core.repair.choices import ResultOffers
from inspector.core.repair.edits import Loss, QuarantinedBytes, Reason
from inspector.core.repair.messages_in_lines import MessagesInLines
from inspector.core.repair.parent_links import ParentLinks
from inspector.core.repair.record_splices import FIXED_MESSAGES
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import TruncatedJson
from inspector.core.storage.json_text import is_valid_json
from inspector.core.storage.log_layout import RecordEdits
from inspector.core.translation import tr

SEQUENCE_START_ANCHOR = -1  # SEQUENCE_START_ANCHOR - n as a place: before the first record of sequence n


class Draft:
    """A log under repair.

    By slot: `texts` are the bytes of added and changed records, `reasons` why each is edited, and `anchors` the place
    after which an added or moved record is now. `followers` lists what follows a place, in order. A place is the slot
    of an original record that has not moved, or SEQUENCE_START_ANCHOR - n, which is before the first
    record of sequence n.

    `vacated_slots` left their place: they were dropped or moved. `dropped_uuids` maps the uuids of dropped records to
    that of the nearest one above that stays, and `new_leaves` those of ends of the chain to that of the record added
    after each. `undone_placeholders` are the calls (slot, ordinal) whose placeholder was removed. `offers` are results
    that other logs hold, and `lost_results` those that the log holds outside of the conversation. `recovered` are the
    latter that were written, by the number of the session and the id of the call. `messages` are those within lines
    that are new, or that could not be read.
    """

    def __init__(
        self,
        log: Log,
        format: Writer,
        offers: ResultOffers | None = None,
        lost_results: LostResults | None = None,
    ) -> None:
        self.log, self.format, self.offers = log, format, offers or {}
        self._lost_results = lost_results or {}
        self.recovered: dict[tuple[int, str], LostResult] = {}
        self.columns = log.columns
        self.original_count = len(log.columns)
        self.texts: dict[int, bytes] = {}
        self.vacated_slots: set[int] = set()
        self.followers: dict[int, list[int]] = {}
        self.anchors: dict[int, int] = {}
        self.losses: list[Loss] = []
        self.quarantined: list[QuarantinedBytes] = []
        self.reasons: dict[int, list[Reason]] = {}
        self._given: set[tuple[int, Reason]] = set()
        self.dropped_uuids: dict[str, str | None] = {}
        self.new_leaves: dict[str, str] = {}
        self.undone_placeholders: set[tuple[int, int]] = set()
        self.provenance = BlockProvenanceTracker()
        self.messages = MessagesInLines()
        self._next_slot = self.original_count
        self._seeds: Counter[str] = Counter()
        self._start_round()

    def _start_round(self) -> None:
        self.pending = PendingEdits({}, set(), {}, set(), {})
        self.links = ParentLinks(self.columns)
        self._taken: UsedIds | None = None
        self._heads: dict[int, int] = {}

    # looking

    def raw(self, record: int) -> bytes:
        """Return the bytes of a record of the draft."""
        return self.slot_bytes(self.columns.stable_numbers[record])

    def slot_bytes(self, slot: int) -> bytes:
        return self.texts[slot] if slot in self.texts else self.log.raw(slot)

    @property
    def has_pending(self) -> bool:
        return bool(self.pending) or bool(self.links)

    @property
    def next_slot(self) -> int:
        """The slot of the next record that is added."""
        return self._next_slot

    def new_id_seed(self, session: str, finding: str) -> str:
        """Return the seed for the id of a new record.

        A second record for the same finding gets another seed, and so another id.
        """
        seed = f"{session}:{finding}"
        self._seeds[seed] += 1
        return seed if self._seeds[seed] == 1 else f"{seed}:{self._seeds[seed]}"

    @property
    def dropped(self) -> set[int]:
        """The original slots that were dropped."""
        return {slot for slot in self.vacated_slots if slot not in self.anchors}

    def taken_ids(self) -> UsedIds:
        """Return every call id of the draft, and those given out since the last commit."""
        if self._taken is None:
            self._taken = UsedIds(filter(None, self.columns.call_ids))
        return self._taken

    def original_record(self, record: int) -> int | None:
        """Return the number of a record in the log as read, None for an added one."""
        slot = self.messages.line_of(self.columns.stable_numbers[record])
        return slot if slot < self.original_count else None

    def anchor_record(self, place: int) -> int:
        """Return the original record that a place follows, or at the start of a sequence the one it precedes."""
        return place if place >= 0 else self.log.sequences[SEQUENCE_START_ANCHOR - place].low

    def lost_result(self, record: int, ordinal: int) -> LostResult | None:
        """Return the result that the log holds elsewhere for a call of the draft, None for none."""
        origin = self.block_origin(record, ordinal) if self._lost_results else None
        return None if origin is None else self._lost_results.get((self.columns.stable_numbers[record], origin))

    # operations

    def add_reason(
        self, record: int, finding: str, text: str, pointer: str = "", block: int | None = None, moves: bool = False
    ) -> None:
        """Note why a record is edited, and which field, or which block by its origin."""
        slot = self.columns.stable_numbers[record]
        self._because(slot, Reason(finding, text, pointer, block, moves))
        if self.messages.is_message(slot):
            self._because(self.messages.line_of(slot), Reason(finding, text))

    def _because(self, slot: int, reason: Reason) -> None:
        if (slot, reason) not in self._given:
            self._given.add((slot, reason))
            self.reasons.setdefault(slot, []).append(reason)

    def block_edits(self, record: int) -> BlockEdits:
        """Return the block edits of a record, to be added to."""
        if record not in self.pending.blocks:
            self.pending.blocks[record] = BlockEdits()
        return self.pending.blocks[record]

    def insert_block(self, record: int, at: int, block: bytes, moved: int | None = None) -> int:
        """Put a block before an ordinal, and return its origin.

        `moved` is the origin of a block that is moved there from elsewhere in the record.
        """
        self.block_edits(record).insert.append((at, block))
        return self.provenance.add_block(self.columns.stable_numbers[record], moved)

    def block_origin(self, record: int, ordinal: int) -> int | None:
        """Return the origin of a block of the draft, None where it is not known."""
        return self.provenance.origin_of(self.columns.stable_numbers[record], ordinal)

    def replace_with_note(self, record: int, ordinal: int, text: str) -> None:
        """Replace a result block with quoted text."""
        self.block_edits(record).replace[ordinal] = self.format.quoted_result(
            self.columns, record, self.raw(record), ordinal, text
        )
        self.pending.notes.add(record)

    def replace(self, record: int, raw: bytes) -> None:
        """Replace a whole record."""
        self.pending.replaced[record] = raw

    def delete(self, record: int) -> None:
        """Drop a record. Its children are linked to its parent. Raises NotVerified for a message within a line."""
        self._require_whole(record)
        if record not in self.pending.deleted:
            self.pending.deleted.add(record)
            self.links.unlink(record)

    def delete_many(self, records: set[int]) -> None:
        """Drop many records at once. Their children are linked to the nearest one that stays."""
        for record in sorted(records):
            self.delete(record)

    def set_parent(self, record: int, uuid: str | None) -> None:
        """Hang a record off another parent."""
        self.links.set_parent(self.columns.stable_numbers[record], uuid)

    def quarantine_bytes(self, record: int, text: bytes) -> None:
        """Keep damaged bytes next to the output: a record, or a part of one."""
        slot = self.columns.stable_numbers[record]
        is_original = slot < self.original_count
        offset = self.log.columns.starts[slot] + max(self.log.raw(slot).find(text), 0) if is_original else 0
        self.quarantined.append(QuarantinedBytes(offset, text))

    def add_before(self, record: int, raw: bytes, reason: Reason) -> None:
        """Add a record before `record`, which may be the first of the log. See `delete`."""
        self._require_whole(record)
        number = self._sequence_of(record)
        if record and self._sequence_of(record - 1) == number:
            self.add(record - 1, raw, record, None, reason)
            return
        self._heads[SEQUENCE_START_ANCHOR - number] = record
        self.add(SEQUENCE_START_ANCHOR - number, raw, record, None, reason)

    def _sequence_of(self, record: int) -> int:
        """Return the number of the sequence that holds a record, for an added one that of its place."""
        slot = self.messages.line_of(self.columns.stable_numbers[record])
        home = self.anchors.get(slot, slot)
        holds = (number for number, each in enumerate(self.log.sequences) if each.low <= home < each.high)
        return SEQUENCE_START_ANCHOR - home if home < 0 else next(holds, 0)

    def add(self, after: int, raw: bytes, successor: int | None, leaf: int | None, reason: Reason) -> None:
        """Add a record after record `after`, or at the start of a sequence.

        It is linked in before `successor`. Where there is none, it hangs off `leaf`.
        """
        slot = self._next_slot
        self._next_slot += 1
        self.texts[slot] = raw
        self._because(slot, reason)
        self._place(slot, self._uuid_in(raw) if self.format.link_keys.parent else None, after, successor, leaf)

    def _uuid_in(self, raw: bytes) -> str | None:
        """Return the id of a record in the record tree.

        None for a header, and for a message within another record.
        """
        found = Columns()
        self.format.index_records(found, [raw])
        return found.uuids[0]

    def move(self, record: int, after: int, successor: int | None, leaf: int | None) -> None:
        """Take a record out of its place, put it after record `after`, and link it in there. See `delete`."""
        self._require_whole(record)
        slot = self.columns.stable_numbers[record]
        self.links.unlink(record)
        self.pending.deleted.add(record)
        self._place(slot, self.columns.uuids[record], after, successor, leaf)

    def _require_whole(self, record: int) -> None:
        if self.messages.is_message(self.columns.stable_numbers[record]):
            raise NotVerified(FIXED_MESSAGES)

    def _place(self, slot: int, uuid: str | None, after: int, successor: int | None, leaf: int | None) -> None:
        self.pending.insertions.setdefault(after, []).append(slot)
        if uuid is None or not self.format.link_keys.parent:
            return
        if successor is not None:
            self.links.insert_before(slot, uuid, successor)
        elif leaf is not None:
            self.links.append(slot, uuid, leaf)
        elif slot < self.original_count:
            self.links.set_parent(slot, None)

    # carrying out

    def commit(self) -> None:
        """Carry out the pending edits and index the changed records again.

        Raises NotVerified for an edit of a record of another log.
        """
        pending = self.pending
        self._require_own(chain(pending.replaced, pending.blocks, pending.deleted, pending.insertions))
        for record in pending.replaced.keys() | pending.blocks.keys():
            edits = pending.blocks.get(record, BlockEdits())
            self.provenance.predict(self.columns.stable_numbers[record], self.columns.blocks[record], edits)
        for record, edits in pending.blocks.items():
            raw = self.format.rewrite(self.columns, record, self.raw(record), edits)
            if raw is None:
                self.delete(record)
            elif not is_valid_json(raw):
                # The next check would call it damage, and all that it holds would be quarantined.
                raise TruncatedJson(
                    tr("the edits for record {record} do not match the record", record=one_based(record))
                )
            else:
                pending.replaced[record] = self.format.without_result_data(raw) if record in pending.notes else raw
        for record, raw in pending.replaced.items():
            slot = self.columns.stable_numbers[record]
            self.texts[slot] = raw
            if self.messages.is_message(slot):
                line = self.messages.line_of(slot)
                self.texts[line] = self.messages.replace_in_line(slot, raw, self.texts[line])
        relinked = self._write_parents()
        self._write_order()
        touched = pending.deleted | pending.insertions.keys() | pending.replaced.keys() | relinked
        self.columns = self.columns.with_changes(self._changes(sorted(touched, key=self._position)))
        self._start_round()

    def _require_own(self, records: Iterable[int]) -> None:
        marks = self.columns.marks
        if self.columns.has_mark(RecordMark.INHERITED):
            for record in records:
                if record >= 0 and marks[record] & RecordMark.INHERITED:
                    raise NotVerified(
                        tr(
                            "Nothing is written, because the repair would have to change {attached_path}. A "
                            "repair never changes a log that is continued in another log.",
                            attached_path=self.log.source.attached_path(self.columns.starts[record]),
                        )
                    )

    def _write_parents(self) -> set[int]:
        """Write changed parents into their records, and return the records of the current columns that changed."""
        parents, key = self.links.final_parents(), self.format.link_keys.parent
        if not parents:
            return set()
        unlinked, pointer = b'{"%s":null' % key.encode(), f"/{key}"
        for slot, parent in parents.items():
            text = self.slot_bytes(slot)
            self.texts[slot] = json_edits.set_leading_member(text, key, id_to_json(parent))
            if slot >= self.original_count and text.startswith(unlinked):
                continue  # A record of our own, not linked yet.
            if not any(reason.pointer == pointer for reason in self.reasons.get(slot, ())):
                self._because(slot, Reason("", tr("linked to the record before it"), pointer))
        return {record for record, slot in enumerate(self.columns.stable_numbers) if slot in parents}

    def _write_order(self) -> None:
        """Note where records are now.

        A place is named by the record that was there before anything moved.
        """
        slots = self.columns.stable_numbers
        homes: dict[int, int] = {}
        for after, placed in self.pending.insertions.items():
            anchor = after if after < 0 else self.messages.line_of(slots[after])
            listed, at = self._list_after(anchor)
            # The mark stays until the others have left: a record can leave a list and come back to it.
            listed[at:at] = [~slot for slot in placed]
            homes |= dict.fromkeys(placed, self.anchors.get(anchor, anchor))
        for record in self.pending.deleted:
            self._take_away(slots[record], slots[record] in homes)
            uuid = self.columns.uuids[record]
            if uuid is not None and slots[record] not in homes and self.links.is_vacated(uuid):
                self.dropped_uuids[uuid] = self.links.current_parent(slots[record], record)
        for home in set(homes.values()):
            self.followers[home] = [slot if slot >= 0 else ~slot for slot in self.followers[home]]
        self.anchors |= homes
        self.new_leaves |= self.links.new_leaves()

    def _list_after(self, anchor: int) -> tuple[list[int], int]:
        """Return the list of followers, and the position in it, directly after slot `anchor`."""
        if anchor in self.anchors:
            listed = self.followers[self.anchors[anchor]]
            return listed, listed.index(anchor) + 1
        return self.followers.setdefault(anchor, []), 0

    def _take_away(self, slot: int, comes_back: bool) -> None:
        if slot in self.anchors:
            self.followers[self.anchors.pop(slot)].remove(slot)
        if slot < self.original_count:
            self.vacated_slots.add(slot)
        elif not comes_back:
            self.texts.pop(slot, None)

    def _position(self, record: int) -> tuple[int, bool]:
        return (record, True) if record >= 0 else (self._heads[record], False)

    def _changes(self, touched: list[int]) -> Iterator[tuple[int, int, Columns]]:
        """Yield what replaces records of the old columns, one entry for each run of adjacent records."""
        part, start, end = list[tuple[int, int, int]](), 0, 0
        for record in touched:
            low, stays = self._position(record)
            if low > end:
                yield start, end, self._indexed(part)
                part, start = [], low
            end = low + stays
            if record >= 0 and record not in self.pending.deleted:
                slot = self.columns.stable_numbers[record]
                part += [(slot, self.columns.starts[record], self.columns.ends[record]), *self._new_messages(slot)]
            for slot in self.pending.insertions.get(record, ()):
                part += [(slot, 0, 0), *self._new_messages(slot)]
        yield start, end, self._indexed(part)

    def _new_messages(self, slot: int) -> Iterator[tuple[int, int, int]]:
        """Yield the messages within a line that is new, or that could not be read, by slot and offsets."""
        is_read = slot < self.original_count and not self.log.columns.marks[slot] & RecordMark.UNREADABLE
        if is_read or self.messages.is_known(slot):
            return
        for start, end, text in self.format.messages_within(self.slot_bytes(slot)):
            self.texts[self._next_slot] = text
            self.messages.add(self._next_slot, slot, start, end)
            yield self._next_slot, 0, 0
            self._next_slot += 1

    def _indexed(self, records: list[tuple[int, int, int]]) -> Columns:
        """Return records of the draft, given by slot and offsets, as columns."""
        found = Columns()
        self.format.index_records(found, [self.slot_bytes(slot) for slot, _, _ in records])
        for number, (slot, _, _) in enumerate(records):
            self.provenance.confirm(slot, found.blocks[number])
            if self.anchors.get(slot, 0) < 0:
                found.add_marks(number, RecordMark.INSERTED_FIRST)
        starts = array("Q", (start for _, start, _ in records))
        ends = array("Q", (start if slot in self.texts else end for slot, start, end in records))
        return found.set_offsets(starts, ends, array("I", (slot for slot, _, _ in records)))

    # what is to be written

    def record_edits(self) -> RecordEdits:
        """Return the draft as edits of records of the log as read."""
        replaced = {
            slot: text
            for slot, text in self.texts.items()
            if slot < self.original_count and slot not in self.vacated_slots
        }
        after: dict[int, list[bytes]] = {}
        before: dict[int, list[bytes]] = {}
        for anchor, slots in self.followers.items():
            texts = [self.slot_bytes(slot) for slot in slots]
            if texts and anchor < 0:
                before[SEQUENCE_START_ANCHOR - anchor] = texts
            elif texts:
                after[anchor] = texts
        return RecordEdits(replaced, set(self.vacated_slots), after, before)


class PendingEdits(Struct):
    """The operations that wait for the next commit, by record of the draft's columns."""

    blocks: dict[int, BlockEdits]
    notes: set[int]
    replaced: dict[int, bytes]
    deleted: set[int]
    insertions: dict[int, list[int]]

    def __bool__(self) -> bool:
        return bool(self.blocks or self.replaced or self.deleted or self.insertions)


_MAX_BLOCKS_FROM_ONE = 8
# By ordinal: the ordinal that a block had in the log as read, or a unique negative number if it was inserted.
BlockOrigins = list[int]


class BlockProvenanceTracker:
    """The origins of the blocks of changed records, by slot.

    Every pass drops and inserts blocks, so that an ordinal means something else in the next pass. An edit is reported
    at the place that its block had in the log as read.
    """

    def __init__(self) -> None:
        self._known: dict[int, BlockOrigins] = {}
        self._put: dict[int, BlockOrigins] = {}
        self._expected: dict[int, list[BlockOrigins]] = {}
        self._last = 0

    def block_origins(self, slot: int) -> BlockOrigins | None:
        """Return the origins of a record's blocks, None if no block changed, [] if they are not known."""
        return self._known.get(slot)

    def origin_of(self, slot: int, ordinal: int) -> int | None:
        """Return the origin of a block of the draft, None where it is not known."""
        known = self._known.get(slot)
        return ordinal if known is None else known[ordinal] if known else None

    def add_block(self, slot: int, moved: int | None = None) -> int:
        """Return the origin of an inserted block: `moved`, or a new one."""
        origin = self._new() if moved is None else moved
        self._put.setdefault(slot, []).append(origin)
        return origin

    def _new(self) -> int:
        self._last -= 1
        return self._last

    def predict(self, slot: int, count: int, edits: BlockEdits) -> None:
        """Work out the block lists that the edits of a record of `count` blocks may result in.

        A format stores an answer in its call, as a block after it, or in its place.
        """
        was, put = self._known.get(slot, [*range(count)]), self._put.pop(slot, [])
        if len(was) != count:
            return  # Not known since an earlier pass.
        before: dict[int, BlockOrigins] = {}
        for (at, _), origin in zip(edits.insert, put, strict=True):
            before.setdefault(at, []).append(origin)
        plain, answered = BlockOrigins(), BlockOrigins()
        for ordinal in range(count + 1):
            stay = before.get(ordinal, [])
            if ordinal < count and ordinal not in edits.drop:
                stay = [*stay, was[ordinal]]
            plain += stay
            answered += stay if ordinal not in edits.answers else [*stay, self._new()]
        self._expected[slot] = [plain, answered, *self._with_several(plain, [was[each] for each in edits.replace])]

    def _with_several(self, blocks: BlockOrigins, replaced: BlockOrigins) -> Iterator[BlockOrigins]:
        """Yield the lists where the only replaced block becomes several.

        A note holds images next to its text.
        """
        if len(replaced) == 1 and replaced[0] in blocks:
            behind = blocks.index(replaced[0]) + 1
            for _ in range(_MAX_BLOCKS_FROM_ONE):
                blocks = [*blocks[:behind], self._new(), *blocks[behind:]]
                yield blocks

    def confirm(self, slot: int, count: int) -> None:
        """Choose the predicted list that has as many blocks as the record has after its edits."""
        if slot in self._expected:
            expected = self._expected.pop(slot)
            self._known[slot] = next((blocks for blocks in expected if len(blocks) == count), [])
