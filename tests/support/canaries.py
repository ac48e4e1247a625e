"""Samples in which every text, id, key and path of somebody's has a word planted in it that may be seen nowhere."""

import re
from pathlib import Path
from typing import Any

import orjson

from inspector.core.redaction.anonymizer import is_harmless, is_program_written_text, is_time
from tests.support.paths import SAMPLES

BROKEN = sorted(path.name for path in SAMPLES.glob("*-broken.*"))
# What a planted word looks like, also where it was cut or stands among escapes.
PLANTED = re.compile(r"zq\w{0,3}kunde", re.IGNORECASE)
_SAID = re.compile(rb"[A-Za-z]+(?: [A-Za-z]+)+")


class Planter:
    """Plants into one log: the same text gets the same word, so that calls and results still pair."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}

    def planted(self, data: bytes) -> bytes:
        """A log of JSON or of lines of JSON."""
        try:
            return orjson.dumps(self._value(orjson.loads(data)), option=orjson.OPT_INDENT_2)
        except orjson.JSONDecodeError:
            return b"".join(self._line(line) + b"\n" for line in data.splitlines())

    def _line(self, line: bytes) -> bytes:
        try:
            return orjson.dumps(self._value(orjson.loads(line)))
        except orjson.JSONDecodeError:  # a torn one: into what is plainly a text of somebody's
            return _SAID.sub(lambda found: self._text(found[0].decode()).encode(), line)

    def _value(self, value: Any) -> Any:
        match value:
            case str():
                return self._text(value)
            case list():
                return [self._value(each) for each in value]
            case dict():
                return {key: self._value(each) for key, each in value.items()}
        return value

    def _text(self, text: str) -> str:
        if len(text) < 4 or is_harmless(text) or is_time(text) or is_program_written_text(text):
            return text
        if text.lstrip()[:1] in ("{", "["):
            try:
                return orjson.dumps(self._value(orjson.loads(text))).decode()
            except orjson.JSONDecodeError:
                pass
        return text + self.words.setdefault(text, f"zq{len(self.words):03d}kunde")


def planted_sample(name: str, folder: Path) -> Path:
    """A broken sample with words planted in it, under a name that has one, too."""
    path = folder / f"zq000kunde-{name}"
    path.write_bytes(Planter().planted((SAMPLES / name).read_bytes()))
    return path
