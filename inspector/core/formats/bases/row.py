"""What a format says of itself as data: its names, where its logs lie, and how its records are to be taken."""

from typing import Any

from msgspec import Struct

from inspector.core.formats.bases.store import Store
from inspector.core.wire.shapes.shape import Misfit, ObjectSchema, find_misfits
from inspector.core.wire.spelling.rows import BlockSchema


class LinkKeys(Struct, frozen=True):
    """The members by which the records of a log name one another.

    `record` holds the id of a record, `parent` that of the one it hangs off ("" where none is named), `stitch` that of
    the record before a compaction ("" where none is named). `leaf` are the members in which a record names the leaf
    and says that it counts ("" where none does).
    """

    record: str = "uuid"
    parent: str = ""
    before_compaction: str = ""
    leaf: tuple[str, str] = ("", "")


class Row:
    """A row of the table of formats."""

    name: str
    """By which it is chosen on the command line."""
    label: str
    """What a person calls it."""
    container: str
    detection: str
    read: str
    write_back: str
    resume: str
    unsupported: str
    source: str
    """The cells of its page: what its container is, what it is told by, what is read, written back, honoured, not
    supported, and where the facts come from."""
    profile: str
    """The provider that its records go to, where a log names none."""
    read_only_reason: str = ""
    """Why it is never written back, in a sentence for the person; said of a format that is no `Writer`."""

    keys: str = ""
    """Keys at the top of a line, or of the document, that make a log likely to be its own, with spaces between.
    Without any the format is asked when no other is sure."""
    stores: tuple[Store, ...] = ()
    """Where its agent keeps its logs."""

    is_provider_api = False
    """The records are a provider's own messages."""
    marker_patterns: tuple[str, ...] = ()
    """Patterns of how the texts begin that it is read by; what their groups hold is somebody's. A bundle keeps them."""
    message_schema: ObjectSchema | None = None
    """What its API takes of a message, where its records are such messages as they are."""
    block_schema = BlockSchema()
    """How its blocks name their members: the table of its wire."""
    merges_fragments = False
    """Fragments and neighbouring user records are one message to the provider."""
    drops_blank_records = False
    """White space beside other blocks of one record goes out; as a record of its own it is dropped."""
    keeps_answers_separate = False
    """The agent sends neighbouring messages of the assistant one by one, whatever the provider joins."""
    results_share_record = True
    """The results of a turn share a record."""
    one_item_per_record = False
    """Every part of a message, reasoning too, is a record of its own."""
    sends_blank_texts = False
    """Blank texts of the person go out with what stands beside them, so that only a turn of nothing else is refused."""
    requires_result_names = False
    """The agent stops at a result that does not name its tool."""
    inline_results = False
    """A call holds its own result, so that a repair writes it into the call."""
    prompt_outside_log = False
    """The first prompt is given to the program apart, so that the log begins behind it."""
    pairs_server_tools = False
    """A call of the provider's own tool has its result in a block of its own."""
    link_keys = LinkKeys()
    """How its records name one another."""

    def misfits(self, message: Any) -> list[Misfit]:
        """What of a parsed record no provider takes; asked of those alone that the index marks as odd."""
        return find_misfits(message, self.message_schema) if self.message_schema else []
