"""How many of something, as a sentence tells it."""


def count_phrase(number: int, what: str, plural: str = "s") -> str:
    """'1 call' or '2,000 calls'; `plural` is what the name of several ends with."""
    return f"{number:,} {what}{'' if number == 1 else plural}"
