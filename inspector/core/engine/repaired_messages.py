"""The result of the repair of a request: the messages to send, the edits and the losses."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from inspector.core.repair.edits import Edit, Loss


class MessageEdit(Edit, frozen=True, kw_only=True):
    """One change of the messages. `record` is the index of the message in the input, None for an added message.

    `message` is its index in the repaired messages, None for a deleted message.
    """

    message: int | None


class RepairedMessages(Struct, frozen=True):
    """The messages to send. `messages` is a new list; it holds unchanged messages as the same objects as the input.

    `records` has the index in the input for each of the messages, None for an added one. `edits` say what was changed
    and why, `losses` what part of the input is not in the output. The `record` of both is the index of the message in
    the input.
    """

    messages: list[Any]
    records: Sequence[int | None]
    edits: tuple[MessageEdit, ...] = ()
    losses: tuple[Loss, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was repaired."""
        return bool(self.edits)
