"""A report to pass on, as a person wishes for it, and as it is shown before it leaves."""

from msgspec import Struct


class ShareOptions(Struct, frozen=True):
    """`form` is how it is written, `language` of which words (`reports.outward.names`). `with_content`: with redacted
    excerpts, in which the words `hidden` are replaced, too.
    """

    format: str = "markdown"
    language: str = "en"
    with_content: bool = False
    hidden: tuple[str, ...] = ()


class RenderedReport(Struct, frozen=True):
    """`text` is all that leaves; `replaced` are the values in it that were hidden, by their pseudonyms."""

    text: str
    replaced: dict[str, str]
    name: str
    """What a file of it may be called: nothing of the log."""


class SendBackOptions(Struct, frozen=True):
    """For whom a repair is sent back: their `system` ("": that which the log tells), and the `language` of the page."""

    system: str = ""
    language: str = "en"


class SendBackPackage(Struct, frozen=True):
    """What is sent back: a page of instructions and the plan, both without content. `name` is what it may be called."""

    page: str
    plan: str
    system: str
    name: str = "repair.zip"
