"""Texts of logs and of people, made fit for a line of a report: short, one line, nothing that steers a terminal."""


def shown(text: str, most: int = 160) -> str:
    """A text on one line, cut to `most` characters; control and direction characters are spelled out."""
    line = " ".join(text.split()) if not text.isprintable() else text
    cut = line if len(line) <= most else line[: most - 1] + "…"
    return "".join(sign if sign.isprintable() else _spelled(sign) for sign in cut)


def _spelled(sign: str) -> str:
    return f"\\x{ord(sign):02x}" if ord(sign) < 256 else f"\\u{ord(sign):04x}"
