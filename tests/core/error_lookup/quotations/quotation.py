"""The shape of a quotation."""

from typing import NamedTuple


class Quotation(NamedTuple):
    """A pasted text and what it tells: a class among others, whose words they are, `ids` ("…" behind one that is cut),
    `places` as message or message.block, who passed it on where that is to be seen.
    """

    report: str
    text: str
    rule: str
    profile: str
    ids: str = ""
    places: str = ""
    through: tuple[str, ...] = ()
