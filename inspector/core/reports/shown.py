"""Texts of logs and of people, made fit for a line of a report: short, one line, nothing that steers a terminal."""


def shown(text: str, most: int = 160) -> str:
    """A text on one line, cut to `most` characters; control and direction characters are spelled out."""
    line = " ".join(text.split()) if not text.isprintable() else text
    return "".join(sign if sign.isprintable() else spelled(sign) for sign in clipped(line, most))


def clipped(text: str, most: int) -> str:
    """A text cut to `most` characters, of which the last one then tells that it goes on."""
    return text if len(text) <= most else text[: most - 1] + "…"


def spelled(sign: str) -> str:
    """A character as an escape."""
    return f"\\x{ord(sign):02x}" if ord(sign) < 256 else f"\\u{ord(sign):04x}"
