"""What a repair asks a format to write: edits of blocks, counts that are settled, files beside the log."""

from msgspec import Struct

MODES = ("new-session", "copy", "in-place")


class Call(Struct, frozen=True):
    """A call as a repair needs it: its id, name, the record it stands in, and where its new result will hang."""

    id: str
    name: str
    raw: bytes
    pointer: str


class BlockEdits(Struct):
    """What happens to the blocks of one record, by their ordinal in it. `insert` puts JSON before an ordinal.

    `answers` gives results to calls that keep theirs in themselves, by the ordinal of the call. `names` are the new
    names of tools, for a call and for a result that names its tool; `listed` are calls to be put where the agent reads
    them, too. `unbind`: the item goes without the id by which the provider knows what it belongs to; `unnamed`: without
    its own id, whatever it is.
    """

    drop: set[int] = set()
    replace: dict[int, bytes] = {}
    rename: dict[int, str] = {}
    inputs: dict[int, bytes] = {}
    insert: list[tuple[int, bytes]] = []
    answers: dict[int, bytes] = {}
    names: dict[int, str] = {}
    add_to_listing: set[int] = set()
    no_empty_calls: bool = False
    drop_binding_id: bool = False
    drop_own_id: bool = False

    def for_block(self, ordinal: int) -> tuple[str | None, bytes | None, str | None]:
        """The id, the input and the name that a call or result gets, None for what stays."""
        return self.rename.get(ordinal), self.inputs.get(ordinal), self.names.get(ordinal)


class Settled(Struct):
    """What a format changes in a finished draft so that its own counts hold again, by record of the draft's columns.

    `added` are records by the one that they follow; `pointer` is the field of the replaced ones that changes.
    """

    replaced: dict[int, bytes] = {}
    deleted: set[int] = set()
    added: list[tuple[int, bytes]] = []
    reason: str = "counts records that the repair added or dropped"
    pointer: str = ""


class SideEdit(Struct, frozen=True):
    """A file beside the log that must change with it: its new bytes whole, and a sentence for the person."""

    path: str
    after: bytes
    sentence: str
