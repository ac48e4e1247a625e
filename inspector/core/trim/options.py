"""The options of trimming, in a light module: a front can state them without importing the trimming itself."""

import re

from msgspec import Struct

from inspector.core.errors import UnknownName
from inspector.core.providers.token_estimates import CONTEXT_MODELS, TokenFamily, find_model
from inspector.core.repair.choices import Choices
from inspector.core.translation import tr

_NUMBER = re.compile(r"([0-9][0-9_,]{0,12}|[0-9]{1,6}\.[0-9]{1,3}(?=[km]))([km]?)", re.IGNORECASE)
_UNITS = {"": 1, "k": 1000, "m": 1_000_000}
_ANSWER_SHARE = 5  # of a window that is given as a number, this part is reserved for the answer


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


class Fit(Struct, frozen=True):
    """The context window to fit: its tokens, and how many of them are reserved for the next answers.

    `model` is the name that was given, "" for a number; `source` is where the window is documented.
    """

    window: int
    reserve: int
    model: str = ""
    source: str = ""

    @property
    def target(self) -> int:
        """The tokens that the history may have."""
        return self.window - self.reserve

    @property
    def family(self) -> TokenFamily | None:
        """The family of the model, None where that of the log is meant."""
        known = find_model(self.model) if self.model else None
        return known.family if known is not None else None


def parse_fit(text: str, reserve: int | None = None) -> Fit:
    """Return the window that the name of a model or a number of tokens (`200k`) means.

    Without `reserve`, what the table has for an answer is reserved, or a fifth of a number. Raises UnknownName.
    """
    number, known = _NUMBER.fullmatch(text.strip()), find_model(text.strip())
    if number is not None:
        window = round(float(number[1].replace("_", "").replace(",", "")) * _UNITS[number[2].lower()])
        fit = Fit(window, window // _ANSWER_SHARE)
    elif known is not None:
        fit = Fit(known.window, known.answer, text.strip(), known.source)
    else:
        raise UnknownName(
            tr(
                "The context window of {text} is unknown. Specify a number of tokens, such as 200k, or a model "
                "name that begins with one of these: {names}.",
                text=text,
                names=", ".join(CONTEXT_MODELS),
            )
        )
    fit = fit if reserve is None else Fit(fit.window, reserve, fit.model, fit.source)
    if fit.target <= 0:
        raise UnknownName(
            tr(
                "{reserve:,} of {window:,} tokens cannot be reserved for the answer, because nothing would be "
                "left for the history.",
                window=fit.window,
                reserve=fit.reserve,
            )
        )
    return fit


MODEL_FITS = {name: Fit(model.window, model.answer, name, model.source) for name, model in CONTEXT_MODELS.items()}
"""The windows of the known models, each with what is left for an answer."""


class Trimming(Struct, frozen=True):
    """All options of trimming. `repairs` are the repairs to make first, None to refuse a broken log.

    With `fit`, a history that is too long for a window is shortened as far as needed, and `wish` only says whether the
    first messages stay. With `before`, the number of a record, the history of its session ends before that record, and
    the other options but `repairs` have no effect.
    """

    wish: Wish
    shrinking: Shrinking = Shrinking()
    repairs: Choices | None = None
    fit: Fit | None = None
    before: int | None = None
