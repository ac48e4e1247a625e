"""The parent links of a draft, kept by what changes alone, against the plain way: every link, changed one by one."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.core.model.columnar_index import Columns, Role
from inspector.core.repair.parent_links import ParentLinks


class EveryLink:
    """The parents of all records, by slot."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.parents = dict(enumerate(columns.parents))
        self.uuids = list(columns.uuids)

    def unlink(self, record: int) -> None:
        uuid = self.uuids[record]
        self.uuids[record] = None
        if uuid is None or uuid in self.uuids:
            return
        parent = self.parents[record] if self.parents[record] != uuid else None
        for slot, named in self.parents.items():
            if named == uuid:
                self.parents[slot] = parent

    def insert_before(self, slot: int, uuid: str, record: int) -> None:
        self.parents[slot] = self.parents[record]
        self.parents[record] = uuid


@st.composite
def trees(draw: st.DrawFn) -> Columns:
    """Records that hang off any record before them, off nothing, or off what is not there; some ids occur twice."""
    columns = Columns()
    for record in range(draw(st.integers(3, 8))):
        ids = [f"id{number}" for number in range(record)]
        parent = draw(st.sampled_from([None, "elsewhere", *ids, *ids[-1:] * 9]))
        uuid = draw(st.sampled_from([*[f"id{record}"] * 7, None, *ids[-1:]]))
        columns.add_record(0, 0, Role.USER, 0, uuid, parent)
    return columns


@given(columns=trees(), data=st.data())
def test_a_draft_links_as_if_every_link_was_changed_at_once(columns: Columns, data: st.DataObject) -> None:
    links, plain = ParentLinks(columns), EveryLink(columns)
    staying, added = list(range(len(columns))), len(columns)
    for what in data.draw(
        st.lists(st.sampled_from(["drop", "drop", "drop", "insert", "hang"]), min_size=2, max_size=6)
    ):
        if not staying:
            break
        record = data.draw(st.sampled_from(staying))
        if what == "drop":
            staying.remove(record)
            links.unlink(record)
            plain.unlink(record)
        elif what == "insert":
            links.insert_before(added, f"new{added}", record)
            plain.insert_before(added, f"new{added}", record)
            added += 1
        else:
            uuid = data.draw(st.sampled_from([None, *(f"id{number}" for number in range(len(columns)))]))
            links.set_parent(record, uuid)
            plain.parents[record] = uuid
    changed = links.final_parents()
    shown = {slot: changed.get(slot, columns.parents[slot]) for slot in staying}
    assert shown == {slot: plain.parents[slot] for slot in staying}
