"""What is wanted of a trimming; light, so that a front can say it without the means to carry it out."""

from msgspec import Struct

from inspector.core.repair.choices import Choices


class Wish(Struct, frozen=True):
    """How much of a history is to stay: the last `keep` messages, or a `fraction` of them, and what it begins with."""

    keep: int | None = None
    fraction: float | None = None
    first: bool = False

    def messages_to_keep(self, total: int) -> int:
        """How many of `total` messages are to stay: all, where nothing was said; of a fraction at least one."""
        if self.keep is not None:
            return min(self.keep, total)
        return total if self.fraction is None else min(max(1, round(total * self.fraction)), total)


class Shrinking(Struct, frozen=True):
    """Which results to replace: those of more than `over` bytes of text, or the `most` largest ones."""

    over: int | None = None
    most: int | None = None


class Trimming(Struct, frozen=True):
    """What is wanted. `repairs`: what is to be mended first, None to refuse a broken log."""

    wish: Wish
    shrinking: Shrinking = Shrinking()
    repairs: Choices | None = None
