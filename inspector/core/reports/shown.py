"""Texts of logs and of people, made fit for a line of a report: short, one line, nothing that steers a terminal."""


def one_line(text: str, limit: int = 160) -> str:
    """A text on one line, cut to `most` characters; control and direction characters are spelled out."""
    line = " ".join(text.split()) if not text.isprintable() else text
    return "".join(sign if sign.isprintable() else escape_character(sign) for sign in clip(line, limit))


def clip(text: str, limit: int) -> str:
    """A text cut to `most` characters, of which the last one then tells that it goes on."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def escape_character(character: str) -> str:
    """A character as an escape."""
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
