"""Redacting texts: the same value has the same pseudonym in all of them, however JSON or an address escapes it."""

import re
from collections.abc import Iterable

from inspector.core.redaction.identities import (
    GENERIC_USERS,
    HOME_FOLDER,
    IDENTITIES,
    LOGIN_FIELD,
    PSEUDONYM,
    whole_word,
)
from inspector.core.redaction.secrets import RANDOM_TOKEN, SECRETS

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})|\\(/)|\\(\\)|%([2-7][0-9a-fA-F])|&#x?0*(?:64|40);")
_EDGES = ".-_ "  # of a name, in an address or a path
_OURS = re.compile(rf"\W*(?:{PSEUDONYM}\W*)+")
_LEVELS = 6  # JSON in JSON in JSON: deeper nothing is told apart from noise


class Redactor:
    """Holds the pseudonyms of one report. `words` are names that a person wants hidden besides."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._known: dict[str, tuple[str, re.Pattern[str]]] = {}
        for each in sorted(map(_plain, words), key=len, reverse=True):
            self._know("word", each.strip(_EDGES))

    @property
    def replacements(self) -> dict[str, str]:
        """What was replaced so far: the values by their pseudonyms."""
        return {name: value for (_, value), name in self._names.items()}

    def learn(self, text: str) -> None:
        """Take note of the users that a text names, so that they are hidden where their name stands alone, too."""
        self._learn(_plain(text))

    def redact(self, text: str) -> str:
        """A text without secrets and identities; its escapes are spelled out."""
        text = _plain(text)
        self._learn(text)
        for shape in SECRETS:
            text = self._without("secret", shape, text)
        text = self._without("token", RANDOM_TOKEN, text)
        for kind, shape in IDENTITIES.items():
            text = self._without(kind, shape, text)
        text = HOME_FOLDER.sub(lambda found: (found["home"] or found["dashed"]) + self._home(found), text)
        # A log may name thousands of users: their patterns are tried where a name is there at all.
        folded = text.casefold()
        for value, (kind, shape) in self._known.items():
            if value.casefold() in folded:
                text = self._without(kind, shape, text)
        return text

    def _learn(self, plain: str) -> None:
        users = [found["user"] or found["named"] for found in HOME_FOLDER.finditer(plain)]
        users += [found["user"] for found in LOGIN_FIELD.finditer(plain)]
        for user in (each.strip(_EDGES) for each in users):
            if len(user) > 1 and user.lower() not in GENERIC_USERS:
                self._know("user", user)

    def _know(self, kind: str, name: str) -> None:
        if name and name.lower() not in self._known:
            self._known[name.lower()] = kind, whole_word(name)

    def _home(self, found: re.Match[str]) -> str:
        return self._named("user", (found["user"] or found["named"]).strip(_EDGES))

    def _without(self, kind: str, shape: re.Pattern[str], text: str) -> str:
        def replaced(found: re.Match[str]) -> str:
            part = next((name for name, value in found.groupdict().items() if value), 0)
            value, start = found[part], found.start(part) - found.start()
            if _OURS.fullmatch(value):
                return found[0]
            return found[0][:start] + self._named(kind, value) + found[0][start + len(value) :]

        return shape.sub(replaced, text)

    def _named(self, kind: str, value: str) -> str:
        value = value.lower() if kind in ("user", "host", "email", "word") else value
        name = self._names.get((kind, value))
        if name is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            name = self._names[kind, value] = f"[{kind}-{self._counts[kind]}]"
        return name


def _plain(text: str) -> str:
    """A text without the escapes that hide a name: those of JSON but for line ends, and those of addresses."""
    for _ in range(_LEVELS):
        plain = _ESCAPED.sub(_sign, text)
        if plain == text:
            break
        text = plain
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sign(found: re.Match[str]) -> str:
    if found[1] or found[4]:
        return chr(int(found[1] or found[4], 16))
    return found[2] or found[3] or "@"
