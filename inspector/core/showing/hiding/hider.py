"""What stands in the place of a text that is hidden: its size; of an id, a name or a path a pseudonym.

Words of formats, known tools, versions, models and times stay, as do the own words of texts that programs write: what
is allowed is listed, all else gives way.
"""

import re
from collections.abc import Callable
from hashlib import blake2b
from pathlib import PurePath

from inspector.core.showing.sizes import format_bytes
from inspector.core.skeleton.ids import id_prefix
from inspector.core.skeleton.masking import is_harmless, is_time
from inspector.core.skeleton.programs import error_words, program_prefix_length
from inspector.core.skeleton.vocabulary import is_public_word, program_words, provider_text_words

_ID = re.compile(r"[\w.:|+=-]{1,512}", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LONG_ID = 16  # characters from which on a text without blanks that holds a digit is an id
_PATH = re.compile(r"(?:file://|~|\.{1,2}|[A-Za-z]:)?(?:[/\\][^/\\\n]+)+[/\\]?")
_LONGEST_PATH, _LONGEST_KNOWN = 400, 3000
_HIDDEN = re.compile("‹[^‹›]*›")
# What the names of many files end with: any other ending may be a part of the name.
_ENDINGS = frozenset(
    """
    .json .jsonl .ndjson .zip .tar .gz .tgz .zst .tzst .db .sqlite .backup .py .ipynb .js .jsx .ts .tsx .html .css .vue
    .md .txt .rst .rs .go .java .kt .c .h .cc .cpp .cs .rb .php .swift .sh .ps1 .sql .csv .toml .yaml .yml .xml .ini
    .cfg .lock .log .png .jpg .svg .pdf .docx .xlsx
    """.split()
)

# What a sentence of ours quotes, then its words; a sign of its end is no part of them.
_QUOTED_OR_WORD = re.compile(
    r"(?P<quoted>“.*”|\"[^\"]*\"|`[^`]*`|(?<!\w)'[^']*'(?!\w))|[^\s()\[\]{},;“”\"`<>|=]+", re.DOTALL
)
_END = re.compile(r"[.:!?…'’]+$")
_SHOWN_NUMBER = re.compile(r"[#+−-]?(?:\d{1,7}|\d{1,3}(?:,\d{3})+)(?:\.\d{1,3}|–[\d,]{1,9})?%?")
_PARTS = re.compile(r"[-.–]")
_NO_LETTER = re.compile(r"[!-/:-@\[-`{-~–—−…→←·≥≤×]+")


class ContentHider:
    """Hides the texts of logs. Pseudonyms are the same wherever the `salt` is, which nothing of a log tells."""

    def __init__(self, salt: str) -> None:
        self._key = salt.encode()[:64]
        self._names: dict[str, str] = {}

    def text(self, text: str) -> str:
        """A text of a log."""
        if is_harmless(text) or is_time(text):
            return text
        if _is_id(text):
            return self.name(text)
        if len(text) <= _LONGEST_PATH and _PATH.fullmatch(text):
            return self.path(text)
        own = program_prefix_length(text) if len(text) < _LONGEST_KNOWN else 0
        return self._words(text[:own], provider_text_words().__contains__) + hidden_size(text[own:])

    def error(self, text: str) -> str:
        """An error that a log holds: its size, behind the words that tell what it is about."""
        told = error_words(text) if len(text) < _LONGEST_KNOWN else set()
        words = dict.fromkeys(word for word in re.findall(r"\w+", text) if told.issuperset(word.lower().split("_")))
        return " ".join([*words, hidden_size(text)])

    def name(self, text: str) -> str:
        """An id, or the name of a tool: known ones stay."""
        if is_harmless(text):
            return text
        name = f"‹{id_prefix(text)}{self._digest(text)}›"
        self._names[name] = text
        return name

    def reveal_names(self, line: str) -> str:
        """What a person typed, with the names that they were shown hidden."""
        return _HIDDEN.sub(lambda found: self._names.get(found[0], found[0]), line)

    def path(self, path: str) -> str:
        """A path, or the name of a file, which keeps its ending; it is told by its last part."""
        name = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
        if not name:
            return path and "‹/›"
        suffix = PurePath(name).suffix.lower()
        return f"‹{self._digest(name)}{suffix if suffix in _ENDINGS else ''}›"

    def sentence(self, sentence: str) -> str:
        """A sentence of ours, in which ids, names and texts of a log may stand: only words that we use are left."""
        return self._words(sentence, program_words().__contains__)

    def _words(self, text: str, is_ours: Callable[[str], bool]) -> str:
        def shown(found: re.Match[str]) -> str:
            if not found["quoted"]:
                return self._word(found[0], is_ours)
            inner = found[0][1:-1]
            return found[0] if is_ours(inner) else f"{found[0][0]}{self.text(inner)}{found[0][-1]}"

        return _QUOTED_OR_WORD.sub(shown, text)

    def _word(self, word: str, is_ours: Callable[[str], bool]) -> str:
        end = _END.search(word)
        core = word[: end.start()] if end else word
        first = len(core) - len(core.lstrip("'‘-–#$"))
        bare = core[first:]
        if "‹" in core or not bare or _NO_LETTER.fullmatch(bare) or is_harmless(bare) or _SHOWN_NUMBER.fullmatch(core):
            return word
        if _is_spelled_by_us(bare, is_ours):
            return word
        hidden = self.path(bare) if "/" in bare or "\\" in bare else self.name(bare)
        return f"{core[:first]}{hidden}{word[len(core) :]}"

    def _digest(self, text: str) -> str:
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=3).hexdigest()


def hidden_size(text: str) -> str:
    """How large a text is."""
    return f"‹{format_bytes(len(text.encode('utf-8', 'surrogatepass')))}›" if text else ""


def _is_spelled_by_us(word: str, is_ours: Callable[[str], bool]) -> bool:
    """Whether a word is made of ours: joined by hyphens or, where numbers are among them, by points."""
    parts = [part.removesuffix("'s").removesuffix("’s") for part in _PARTS.split(word)]
    if "." in word and not any(map(str.isdecimal, parts)):
        return False
    return all(is_ours(part) or is_public_word(part) or (part.isdecimal() and len(part) < 6) for part in parts)


def _is_id(text: str) -> bool:
    if not _ID.fullmatch(text):
        return False
    return bool(id_prefix(text) or _UUID.fullmatch(text)) or (len(text) >= _LONG_ID and any(map(str.isdigit, text)))
