"""What can be made of a log besides its repair: what an agent sends of it, a trimmed copy, a converted history."""

from msgspec import Struct

from inspector.core.index.place import RecordLocation


class RequestPreviewBlock(Struct, frozen=True, kw_only=True):
    """A block of what an agent sends, or one of the log that it does not send.

    `mark`: kept, added by the repair, answered by the agent, sent as text, dropped; "" for a message without a block.
    `message` is the number of its message from 0, None for what is not sent; `role` is who speaks, `text` the beginning
    of what it says. `place` is where it stands in the log, and where it does not, `call` is where its call does.
    """

    mark: str
    message: int | None
    role: str
    kind: str
    name: str = ""
    text: str = ""
    place: RecordLocation | None = None
    call: RecordLocation | None = None


class RequestPreview(Struct, frozen=True, kw_only=True):
    """What an agent will send of a session: `messages` of them, in `bytes` of JSON in the API that is called `wire`.

    `sentence` says what the agent does; `outcome` is as-is, mends, refuses or unknown. What is not sent stands among
    the blocks where it stands in the log.
    """

    wire: str
    outcome: str
    sentence: str
    messages: int
    bytes: int
    blocks: tuple[RequestPreviewBlock, ...]


class TrimPreview(Struct, frozen=True, kw_only=True):
    """A planned trimming. Messages are those of all `sessions`; tokens are None where the log does not tell.

    `removed` are (kind, number of blocks, bytes of their texts); `shrunk` counts the results that became notes.
    `consequences` and `losses` are sentences, the latter on what the repair before the trimming loses. `name` is that
    which the copy gets.
    """

    name: str
    sessions: int
    messages_before: int
    messages_after: int
    bytes_before: int
    bytes_after: int
    tokens_before: int | None
    tokens_after: int | None
    removed: tuple[tuple[str, int, int], ...]
    shrunk: int
    consequences: tuple[str, ...]
    losses: tuple[str, ...]
    accepted: dict[str, str | None]
    changes_nothing: bool
    not_run: tuple[str, ...] = ()


class ConvertNote(Struct, frozen=True):
    """A block that the target does not have as it was. `record` is None where it stands in none."""

    action: str
    what: str
    record: int | None
    text: str


class ConvertPreview(Struct, frozen=True, kw_only=True):
    """A planned conversion: its size in bytes, how often each thing was done (action, kind of block, reason, number),
    and the first `notes` one by one, of all `noted`. `sound`: nothing is wrong with the history. `name` is that which
    the file gets.
    """

    name: str
    bytes: int
    sound: bool
    counts: tuple[tuple[str, str, str, int], ...]
    notes: tuple[ConvertNote, ...]
    noted: int
