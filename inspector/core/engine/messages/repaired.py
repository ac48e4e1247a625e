"""What came of mending messages."""

from typing import Any

from msgspec import Struct

from inspector.core.repair.edits import Edit, Loss


class RepairedMessages(Struct, frozen=True):
    """What is to be sent. `messages` is a new list; what no edit touched is in it as the very objects that came in.

    `edits` tell what was changed and why, `losses` what of the input is not in the output. The `record` of both is the
    index of the message in the list that came in.
    """

    messages: list[Any]
    edits: tuple[Edit, ...] = ()
    losses: tuple[Loss, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was mended."""
        return bool(self.edits)
