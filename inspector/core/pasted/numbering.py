"""Where a provider's number of a message lies in a log: through folding, merging, and the system prompt.

A number is taken in every way that the log allows, the likeliest first, since neither the error nor the log tells how
the agent counted: an agent whose system prompt is not in its log sends it as the first message of a chat API
(`messages[0]`), and apart to the others; records that are no message (settings, notes) are counted by nobody.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain, count

from msgspec import Struct

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.provider_errors.reading import MessageReference
from inspector.core.profiles.profile import Profile
from inspector.core.scene import ThreadContext, pair_thread

_NOT_SENT = (Role.OPAQUE, Role.LINK)


class MessageNumbering(Struct):
    """One way of counting the messages of a thread: the number of each record of the path, -1 where it has none.

    `shift` is how many messages the provider saw before the first of them, `why` says which. `sent` has the positions
    on the path of each message where a record is several of them; its number is that of the first.
    """

    numbers: array[int]
    turns: array[int]
    shift: int = 0
    reason: str = ""
    sent: list[list[int]] = []

    @property
    def count(self) -> int:
        """How many messages the provider would see."""
        return (len(self.sent) or max(self.numbers, default=-1) + 1) + self.shift

    def positions(self, message: int) -> list[int]:
        """Where on the path a message of the provider stands, empty when it does not exist."""
        wanted = message - self.shift
        if self.sent:
            return self.sent[wanted] if 0 <= wanted < len(self.sent) else []
        return [at for at, number in enumerate(self.numbers) if number == wanted] if wanted >= 0 else []


def message_numberings(scene: ThreadContext, profile: Profile) -> list[MessageNumbering]:
    """The ways in which this provider may have counted the messages of a thread."""
    pairing = scene.pairing
    if profile.name != scene.profile.name:
        pairing = pair_thread(scene.format, scene.columns, scene.thread, profile)
    path, roles = scene.thread.path, scene.columns.roles
    if scene.format.is_provider_api:
        # The records are the elements of the very array that the provider counts.
        return [MessageNumbering(array("i", range(len(path))), pairing.turns)]
    number = count()
    told = array("i", [-1 if roles[record] in _NOT_SENT else next(number) for record in path])
    found = [MessageNumbering(pairing.messages, pairing.turns)]
    if sent := scene.number_messages_as_sent():
        found = [_as_sent(scene, sent)]
    elif not scene.format.merges_fragments and told != pairing.messages:
        found.insert(0, MessageNumbering(told, pairing.turns))
    if profile.counts_system_message and not any(roles[record] == Role.SYSTEM for record in path):
        why = "counting the system prompt, which the agent sends first"
        found = [MessageNumbering(each.numbers, each.turns, 1, why, each.sent) for each in found] + found
    return found


def _as_sent(scene: ThreadContext, sent: list[list[int]]) -> MessageNumbering:
    """Counted by the messages that go out, of which the records are given."""
    positions = [[scene.path_positions[record] for record in records] for records in sent]
    known = set(chain.from_iterable(sent))
    numbers = [scene.message_number(record) if record in known else -1 for record in scene.thread.path]
    return MessageNumbering(array("i", numbers), scene.pairing.turns, sent=positions)


def block_at(scene: ThreadContext, records: list[int], spot: MessageReference) -> tuple[int, int] | None:
    """Record and ordinal of the block that a spot names among the records of its message; None when there is none."""
    if spot.block < 0:
        return None
    blocks = list(_blocks(scene, records, BlockKind.CALL if spot.list_key == "tool_calls" else None))
    return blocks[spot.block] if spot.block < len(blocks) else None


def _blocks(scene: ThreadContext, records: list[int], only: BlockKind | None) -> Iterator[tuple[int, int]]:
    columns = scene.columns
    for record in records:
        for ordinal, row in enumerate(columns.block_rows(record)):
            if only is None or columns.block_kinds[row] == only:
                yield record, ordinal
