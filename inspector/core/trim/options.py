"""The options of trimming, in a light module: a front can state them without importing the trimming itself."""

from msgspec import Struct

from inspector.core.repair.choices import Choices


class Wish(Struct, frozen=True):
    """How much of a history stays: the last `keep` messages or a `fraction` of them.

    `first` says whether the first messages of the user stay too.
    """

    keep: int | None = None
    fraction: float | None = None
    first: bool = False

    def messages_to_keep(self, total: int) -> int:
        """Return how many of `total` messages stay: all by default, and of a fraction at least one."""
        if self.keep is not None:
            return min(self.keep, total)
        return total if self.fraction is None else min(max(1, round(total * self.fraction)), total)


class Shrinking(Struct, frozen=True):
    """Which results to replace: those of more than `over` bytes of text, or the `most` largest ones."""

    over: int | None = None
    most: int | None = None


class Trimming(Struct, frozen=True):
    """All options of trimming. `repairs` are the repairs to make first, None to refuse a broken log."""

    wish: Wish
    shrinking: Shrinking = Shrinking()
    repairs: Choices | None = None
