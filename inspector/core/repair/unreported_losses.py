"""The texts that a plan takes out of a log without reporting them: the last proof that nothing is lost.

Every text of a record that is dropped or changed is looked for in what is written, among the reported losses, and in
what is kept next to the output. A text that is found nowhere is reported. The walk is over the JSON itself and knows no
format, so it finds texts that no rule, no strategy and no view of a block knows.

A text is a string of several words, a single word under `text`, `thinking`, `content`, `stdout` or `stderr` or anywhere
in the input of a call, or the path of a file, which is often all that a search has found. Ids, names, times, keys,
signatures and pictures are no texts. A text that occurs twice is not lost if one of the two is dropped.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any

from inspector.core.model.columnar_index import RecordMark
from inspector.core.model.views import BlockKind
from inspector.core.providers.placeholders import RESULT_NOTE_HEADING, is_placeholder
from inspector.core.repair.draft import Draft
from inspector.core.repair.edits import Loss
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, javascript_can_parse, parse_json, replace_lone_surrogates
from inspector.core.translation import tr, tr_plural

_FOREIGN_LETTER = re.compile(r"[^\W\d_\x00-\x7f]")
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d[\d:.,]* ?(?:Z|UTC|[+-]\d\d:?\d\d)?")
# Folders, and a name with an extension. Not a folder alone: every record may name the folder it was written in.
# A route may have brackets in its name: app/(shop)/[id]/page.tsx.
_PART = r"[\w.~@:+,()\[\]$#=-]"
_FILE = re.compile(rf"(?:[A-Za-z]:)?{_PART}*[/\\](?:{_PART}+[/\\])*{_PART}*\w\.[A-Za-z]\w{{0,7}}")
# A name alone is a file name only if its key says so, because types of events have dots, too.
_FILE_NAME, _OF_FILES = re.compile(rf"{_PART}*\w\.[A-Za-z]\w{{0,7}}"), re.compile(r"(?:path|file(?:_?name)?)\Z", re.I)
_MEDIA_TYPES = frozenset({"media_type", "mediaType", "mimeType", "mime_type"})
# Where a single word is a text. `output` is left out: it may be a number or a word of the program. Arguments may be
# JSON in a text, and so may calls, which are a text if they are not. A value in the place of an id is no text.
_PROSE_POINTER = re.compile(
    r"/(?:text|thinking|(?:api_)?content|stdout|stderr|tool_calls)\Z|/(?:input|args|arguments)/|/(?:id|\w+_id|\w+I[dD])/\D"
)
# Where JSON in a text is read as JSON.
_JSON_POINTERS = ("/input", "/args", "/arguments", "/tool_calls")
LONGEST_WORD = 200  # characters without a space: more are data if they are at least _DATA different ones
_DATA = 20
_MANY_RECORDS = 10


def unreported_losses(draft: Draft) -> list[Loss]:
    """Return the texts of dropped or changed records that are neither written nor reported, in log order."""
    changed = [slot for slot in draft.texts if slot < draft.original_count]
    checker = _LossChecker(draft)
    return [loss for slot in sorted({*changed, *draft.dropped}) for loss in checker.missing(slot)]


class _LossChecker:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._dropped = draft.dropped
        self._shared: dict[int, set[str]] = {}
        self._related: tuple[int, list[set[str]]] = (-1, [])
        self._quoted: tuple[int, dict[str, str]] = (-1, {})
        self._of_ids: dict[frozenset[str], list[set[str]]] = {}
        self._files: set[str] = set()  # that are reported, or known to stay
        self._told: dict[int | None, list[str]] = {}
        for loss in draft.losses:
            self._told.setdefault(loss.record, []).append(loss.text)

    def missing(self, slot: int) -> Iterator[Loss]:
        """Yield the texts of one record that are lost without being reported."""
        draft = self.draft
        raw = draft.log.raw(slot)
        if draft.log.columns.marks[slot] & RecordMark.UNREADABLE:
            if not javascript_can_parse(raw):
                return  # Its bytes are read or kept next to the output, piece by piece.
            raw = replace_lone_surrogates(raw.decode("utf-8", "replace").encode())
        stays = draft.texts.get(slot, b"") if slot not in self._dropped else b""
        if self._is_relinked(raw, stays):
            return
        was, now = parse_json(raw), parse_json(stays) if stays else None
        old_texts = list(_texts(_without_same(was, now)))
        if not old_texts:
            return
        here = set(_inner(_texts(now)))
        old_texts = [(pointer, text) for pointer, text in old_texts if text not in here]
        reported = "\n".join((*here, *self._told.get(slot, ()))) if old_texts else ""
        for text, pointer in {text: pointer for pointer, text in reversed(old_texts)}.items():
            if not (
                self._is_there(text, reported)
                or any(text in texts for texts in self._related_texts(slot))
                or (_FILE.fullmatch(text) and self._is_named_around(slot, text))
                or self._is_in_note(slot, pointer, text)
            ):
                size = tr_plural("{number:,} character", "{number:,} characters", len(text))
                yield Loss(
                    "text",
                    text,
                    tr(
                        "{size} at {pointer}, not found elsewhere in the history",
                        size=size,
                        pointer=pointer,
                    ),
                    slot,
                )

    def _is_relinked(self, was: bytes, now: bytes) -> bool:
        """Return whether a record differs only in the id of its parent, as most changed records do."""
        key = self.draft.format.link_keys.parent
        old, new = (json_edits.match_leading_member(text, key) if key else None for text in (was, now))
        if old is None or new is None or was[old.end(1) :] != now[new.end(1) :]:
            return False
        return not _is_text(old[1].strip(b'"').decode("utf-8", "replace"))

    def _is_there(self, text: str, reported: str) -> bool:
        if is_placeholder(text):
            return True  # Words of a program, which say nothing.
        if text in reported or dump_json(text)[1:-1].decode() in reported or text in self._written:
            return True
        parts = [part for _, part in _nested(text)]
        return bool(parts) and all(self._is_there(part, reported) for part in parts)

    def _is_named_around(self, slot: int, file: str) -> bool:
        """Return whether a path is known, or a neighbouring record names it, too. A folder may look like a file."""
        columns, around = self.draft.log.columns, [*range(max(slot - 1, 0), min(slot + 2, self.draft.original_count))]
        kept = [
            near for near in around if near not in self._dropped and not columns.marks[near] & RecordMark.UNREADABLE
        ]
        values = (parse_json(self.draft.slot_bytes(near)) for near in kept if file not in self._files)
        named = file in self._files or any(file == text for value in values for _, text in _texts(value))
        self._files.add(file)
        return named

    def _related_texts(self, slot: int) -> list[set[str]]:
        """Return the texts of all remaining records with a call id of this record: a duplicate may be dropped."""
        if self._related[0] != slot:
            columns = self.draft.log.columns
            ids = frozenset(call_id for row in columns.block_rows(slot) if (call_id := columns.call_ids[row]))
            if ids not in self._of_ids:
                records = {record for call_id in ids for record in self._holders.get(call_id, ())}
                texts = [self._texts_in(record) for record in records]
                # Thousands of texts may be looked for in thousands of records.
                self._of_ids[ids] = texts if len(texts) < _MANY_RECORDS else [set().union(*texts)]
            self._related = slot, self._of_ids[ids]
        return self._related[1]

    def _texts_in(self, record: int) -> set[str]:
        """Return the texts of a record of the outcome. They are cached: it may be needed for thousands of calls."""
        if record not in self._shared:
            self._shared[record] = set(_inner(_texts(parse_json(self.draft.raw(record)))))
        return self._shared[record]

    @cached_property
    def _holders(self) -> dict[str | None, list[int]]:
        """The records of the outcome by the ids of their calls and results."""
        columns = self.draft.columns
        holders: dict[str | None, list[int]] = {}
        for record in range(len(columns)):
            for call_id in {columns.call_ids[row] for row in columns.block_rows(record)}:
                holders.setdefault(call_id, []).append(record)
        return holders

    @cached_property
    def _written(self) -> set[str]:
        """The texts of all changed or added records, also without their first line, which may introduce a quote."""
        draft = self.draft
        kept = (text for slot, text in draft.texts.items() if slot not in self._dropped)
        texts = {text for raw in kept for text in _inner(_texts(parse_json(raw)))}
        return texts | {text.partition("\n")[2] for text in texts}

    def _is_in_note(self, slot: int, pointer: str, text: str) -> bool:
        """Return whether a text is a part of a result that is kept as a note, where the parts are one text."""
        quoted = self._quoted_results(slot) if self._notes else {}
        places = accumulate(pointer.split("/"), "{}/{}".format) if quoted else ()
        return any(text in quoted.get(place, "") for place in places)

    def _quoted_results(self, slot: int) -> dict[str, str]:
        """Return the results of a record that are kept as notes, by their pointers."""
        if self._quoted[0] != slot:
            blocks = self.draft.format.view(self.draft.log.raw(slot)).blocks
            results = (block for block in blocks if block.kind == BlockKind.RESULT)
            self._quoted = slot, {block.pointer: block.text for block in results if block.text in self._notes}
        return self._quoted[1]

    @cached_property
    def _notes(self) -> set[str]:
        """The texts of the results that are kept as notes, without the first line of the note."""
        parts = (text.partition("\n") for text in self._written)
        return {rest for head, _, rest in parts if head.endswith(f"; {RESULT_NOTE_HEADING}]")}


def _without_same(was: Any, now: Any) -> Any:
    """Return a former value without the members that are still the same."""
    if not (isinstance(was, dict) and isinstance(now, dict)):
        return was
    return {key: value for key, value in was.items() if key not in now or now[key] != value}


def _inner(texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield texts, and the texts in them if they are JSON themselves."""
    for _, text in texts:
        yield text
        for _, part in _nested(text):
            yield part


def _nested(text: str) -> list[tuple[str, str]]:
    return list(_texts(_parsed_json(text)))


def _parsed_json(text: str) -> Any:
    """Return the JSON object or list in a text, None if it holds neither."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return parse_json(text.encode("utf-8", "replace"))
    except ValueError:
        return None


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Yield every text of a value as pointer and text, from the first to the last."""
    waiting = [("", value)]
    while waiting:
        pointer, node = waiting.pop()
        if isinstance(node, dict):
            skipped = None if _MEDIA_TYPES.isdisjoint(node) else "data"  # the bytes of a picture, which are no text
            waiting += [(f"{pointer}/{key}", inner) for key, inner in reversed(node.items()) if key != skipped]
        elif isinstance(node, list):
            waiting += [(f"{pointer}/{number}", inner) for number, inner in reversed([*enumerate(node)])]
        elif isinstance(node, str) and pointer.endswith(_JSON_POINTERS) and (inner := _parsed_json(node)) is not None:
            waiting.append((pointer, inner))
        elif isinstance(node, str) and (_is_text(node) or _is_prose_word(pointer, node)):
            yield pointer, node


def _is_prose_word(pointer: str, text: str) -> bool:
    """Return whether a single word counts as a text at its pointer."""
    if _PROSE_POINTER.search(pointer):
        return bool(text.strip())
    return bool(_OF_FILES.search(pointer) and len(text) < LONGEST_WORD and _FILE_NAME.fullmatch(text))


def _is_text(text: str) -> bool:
    """Return whether a string holds two words, or a letter of a script that may not separate words.

    Numbers are words, too, except in a time. A string without spaces counts if it is a path or holds few different
    characters. The time is linear in the length.
    """
    several = len(text.split(None, 1)) > 1
    if (several and not _TIME.fullmatch(text)) or (not text.isascii() and _FOREIGN_LETTER.search(text)):
        return True
    return bool(_FILE.fullmatch(text)) if len(text) < LONGEST_WORD else len(set(text)) < _DATA
