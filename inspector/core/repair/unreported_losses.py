"""What a plan takes out of a log without a word: the last proof of "nothing is lost".

Every text of a record that goes or changes is looked for in what is written, and among what is told as a loss or
kept beside the output. The walk is over the JSON itself: it knows no shape of any format, so that it finds what no
rule, no strategy and no view of a block knows of. What it finds nowhere is told.

A text is a string with words in it, a single word under `text`, `thinking`, `content`, `stdout` or `stderr` or anywhere
in what a call is given, or the path of a file: often all that a search has found. Ids, names, times and the like are no
texts, nor are keys, signatures and pictures. It need not stand as often as before: what is said twice is not lost with
one of the two.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from inspector.core.model.columns import RecordMark
from inspector.core.providers.placeholders import is_placeholder
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, javascript_can_parse, parse_json, replace_lone_surrogates
from inspector.core.text import count_phrase

_FOREIGN_LETTER = re.compile(r"[^\W\d_\x00-\x7f]")
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d[\d:.,]* ?(?:Z|UTC|[+-]\d\d:?\d\d)?")
# Folders, and a name with an ending: no folder alone, which every record may name as the one that it was written in.
# A route may have brackets in its name: app/(shop)/[id]/page.tsx.
_PART = r"[\w.~@:+,()\[\]$#=-]"
_FILE = re.compile(rf"(?:[A-Za-z]:)?{_PART}*[/\\](?:{_PART}+[/\\])*{_PART}*\w\.[A-Za-z]\w{{0,7}}")
# A name alone is a file's where its key says so: types of events have points, too.
_FILE_NAME, _OF_FILES = re.compile(rf"{_PART}*\w\.[A-Za-z]\w{{0,7}}"), re.compile(r"(?:path|file(?:_?name)?)\Z", re.I)
_MEDIA_TYPES = frozenset({"media_type", "mediaType", "mimeType", "mime_type"})
# Where a single word is a text: an `output` may be a number or a word of the program's. Arguments may be JSON in a
# text. What is named in the place of an id is none.
_PROSE_POINTER = re.compile(
    r"/(?:text|thinking|content|stdout|stderr)\Z|/(?:input|args|arguments)/|/(?:id|\w+_id|\w+I[dD])/\D"
)
_INPUT_POINTERS = ("/input", "/args", "/arguments")
_LONG = 200  # characters without a space: data where they are many different ones
_DATA = 20


def unreported_losses(draft: Draft) -> list[Loss]:
    """The texts of records that went or changed that are neither written nor told, in the order of the log."""
    changed = [slot for slot in draft.texts if slot < draft.original_count]
    proof = _LossChecker(draft)
    return [loss for slot in sorted({*changed, *draft.dropped}) for loss in proof.missing(slot)]


class _LossChecker:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._dropped = draft.dropped
        self._shared: dict[int, set[str]] = {}
        self._files: set[str] = set()  # that are told, or known to stay
        self._told: dict[int | None, list[str]] = {}
        for loss in draft.losses:
            self._told.setdefault(loss.record, []).append(loss.text)

    def missing(self, slot: int) -> Iterator[Loss]:
        """The texts of one record that are lost without a word."""
        draft = self.draft
        raw = draft.log.raw(slot)
        if draft.log.columns.marks[slot] & RecordMark.UNREADABLE:
            if not javascript_can_parse(raw):
                return  # Its bytes are read or kept beside the output, piece by piece.
            raw = replace_lone_surrogates(raw.decode("utf-8", "replace").encode())
        stays = draft.texts.get(slot, b"") if slot not in self._dropped else b""
        if self._is_relinked(raw, stays):
            return
        was, now = parse_json(raw), parse_json(stays) if stays else None
        found = list(_texts(_without_same(was, now)))
        if not found:
            return
        here = set(_inner(_texts(now)))
        found = [(pointer, text) for pointer, text in found if text not in here]
        told = "\n".join((*here, *self._told.get(slot, ()))) if found else ""
        for text, pointer in {text: pointer for pointer, text in reversed(found)}.items():
            if not (
                self._is_there(text, told)
                or any(text in beside for beside in self._beside(slot))
                or (_FILE.fullmatch(text) and self._is_named_around(slot, text))
            ):
                size = count_phrase(len(text), "character")
                yield Loss("text", text, f"{size} at {pointer}, which nothing that stays says", slot)

    def _is_relinked(self, was: bytes, now: bytes) -> bool:
        """Whether a record is the same but for the id of its parent: most that change only hang off another."""
        key = self.draft.format.link_keys.parent
        old, new = (json_edits.leading_member(text, key) if key else None for text in (was, now))
        if old is None or new is None or was[old.end(1) :] != now[new.end(1) :]:
            return False
        return not _is_text(old[1].strip(b'"').decode("utf-8", "replace"))

    def _is_there(self, text: str, told: str) -> bool:
        if is_placeholder(text):
            return True  # A program's own words, which tell of nothing.
        if text in told or dump_json(text)[1:-1].decode() in told or text in self._written:
            return True
        parts = [part for _, part in _nested(text)]
        return bool(parts) and all(self._is_there(part, told) for part in parts)

    def _is_named_around(self, slot: int, file: str) -> bool:
        """Whether a path was met before, or a record right beside names it, too: a folder may look like a file."""
        columns, around = self.draft.log.columns, [*range(max(slot - 1, 0), min(slot + 2, self.draft.original_count))]
        stay = [
            each for each in around if each not in self._dropped and not columns.marks[each] & RecordMark.UNREADABLE
        ]
        values = (parse_json(self.draft.slot_bytes(each)) for each in stay if file not in self._files)
        named = file in self._files or any(file == text for value in values for _, text in _texts(value))
        self._files.add(file)
        return named

    def _beside(self, slot: int) -> Iterator[set[str]]:
        """The texts of all records that stay and tell of a call of a record's: what is said twice is dropped once."""
        columns = self.draft.log.columns
        for call_id in {call_id for row in columns.block_rows(slot) if (call_id := columns.call_ids[row])}:
            yield from map(self._texts_in, self._holders.get(call_id, ()))

    def _texts_in(self, record: int) -> set[str]:
        """The texts of a record of the outcome; one may hold thousands of calls, and is asked about each."""
        if record not in self._shared:
            self._shared[record] = set(_inner(_texts(parse_json(self.draft.raw(record)))))
        return self._shared[record]

    @cached_property
    def _holders(self) -> dict[str | None, list[int]]:
        """The records of the outcome by the ids of their calls and results."""
        columns = self.draft.columns
        found: dict[str | None, list[int]] = {}
        for record in range(len(columns)):
            for call_id in {columns.call_ids[row] for row in columns.block_rows(record)}:
                found.setdefault(call_id, []).append(record)
        return found

    @cached_property
    def _written(self) -> set[str]:
        """The texts of all records that are changed or added; of quoted ones without the line that says so, too."""
        draft = self.draft
        stay = (text for slot, text in draft.texts.items() if slot not in self._dropped)
        texts = {text for raw in stay for text in _inner(_texts(parse_json(raw)))}
        return texts | {text.partition("\n")[2] for text in texts}


def _without_same(was: Any, now: Any) -> Any:
    """What a record was, without the members that it still has."""
    if not (isinstance(was, dict) and isinstance(now, dict)):
        return was
    return {key: value for key, value in was.items() if key not in now or now[key] != value}


def _inner(texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Texts, and those that stand in them where they are JSON themselves."""
    for _, text in texts:
        yield text
        for _, part in _nested(text):
            yield part


def _nested(text: str) -> list[tuple[str, str]]:
    return list(_texts(_parsed_json(text)))


def _parsed_json(text: str) -> Any:
    """The object or list that a text is; None when it is none."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return None


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Every text of a value with its pointer, from the first to the last."""
    waiting = [("", value)]
    while waiting:
        pointer, each = waiting.pop()
        if isinstance(each, dict):
            skipped = None if _MEDIA_TYPES.isdisjoint(each) else "data"  # of a picture: its bytes, which are no text
            waiting += [(f"{pointer}/{key}", inner) for key, inner in reversed(each.items()) if key != skipped]
        elif isinstance(each, list):
            waiting += [(f"{pointer}/{number}", inner) for number, inner in reversed([*enumerate(each)])]
        elif isinstance(each, str) and pointer.endswith(_INPUT_POINTERS) and (held := _parsed_json(each)) is not None:
            waiting.append((pointer, held))
        elif isinstance(each, str) and (_is_text(each) or _is_said(pointer, each)):
            yield pointer, each


def _is_said(pointer: str, text: str) -> bool:
    """Whether a single word is a text where it stands."""
    if _PROSE_POINTER.search(pointer):
        return bool(text.strip())
    return bool(_OF_FILES.search(pointer) and len(text) < _LONG and _FILE_NAME.fullmatch(text))


def _is_text(text: str) -> bool:
    """Whether it holds words: two of them, or a letter of a script that may not part them. Linear in its length.

    Numbers are words, too, but for those of a time.
    """
    several = len(text.split(None, 1)) > 1
    if (several and not _TIME.fullmatch(text)) or (not text.isascii() and _FOREIGN_LETTER.search(text)):
        return True
    return bool(_FILE.fullmatch(text)) if len(text) < _LONG else len(set(text)) < _DATA
