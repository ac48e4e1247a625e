"""What the person chose for a repair."""

from msgspec import Struct


class Choices(Struct, frozen=True):
    """What the person chose. `rules` and `findings` (by finding id) override the preset, findings win.

    `wording` is the text of placeholders, with the tokens {name} and {id}; "" takes the preset's.
    """

    preset: str = "canonical"
    rules: dict[str, str] = {}
    findings: dict[str, str] = {}
    profile: str = ""
    wording: str = ""
