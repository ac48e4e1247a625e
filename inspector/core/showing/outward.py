"""A report to pass on, as a person wishes for it, and as it is shown before it leaves."""

from msgspec import Struct


class OutwardWish(Struct, frozen=True):
    """`form` is how it is written, `language` of which words (`reports.outward.names`). `with_content`: with redacted
    excerpts, in which the words `hidden` are replaced, too.
    """

    form: str = "markdown"
    language: str = "en"
    with_content: bool = False
    hidden: tuple[str, ...] = ()


class OutwardReport(Struct, frozen=True):
    """`text` is all that leaves; `replaced` are the values in it that were hidden, by their pseudonyms."""

    text: str
    replaced: dict[str, str]
    name: str
    """What a file of it may be called: nothing of the log."""
