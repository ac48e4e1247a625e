"""New rows of DeepSeek Harness, edits of rows, and the numbers by which rows name each other.

Facts: deepseek-ai/deepseek-harness 0.1.1-rc.2, `session/src/index.ts` (`assertMessageEventShape`: what a message must
have), `surface.ts` (a message names only earlier events) and `session-persistence-jsonl/src/index.ts` (the frames).
Numbers count from 0 without a gap, so that all rows after an added or removed one get other numbers.
"""

from collections.abc import Container, Iterable, Iterator
from typing import Any

from inspector.core.formats.base.writer import BlockEdits, CallContext, DerivedUpdates, deterministic_uuid
from inspector.core.formats.dsh.reader import (
    ASSISTANT_TYPE,
    CHUNK_TYPES,
    HEADER_TYPE,
    RESULT_ID_POINTERS,
    RESULT_TYPE,
    USER_TYPE,
    event_numbers,
    later_headers,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.providers.block_schema import typed_text_encoder
from inspector.core.storage import json_edits
from inspector.core.storage.json_lines import compress_frame
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, object_at, parse_json, parse_json_cached, text_at, value_at
from inspector.core.translation import tr

_UPDATE_REASON = tr("rows are renumbered without gaps, and references to rows are updated")
_SEED_LENGTH, _END_SEED = "seedLength", "session/end-seed"
_FRAME_SIZE = 1024 * 1024
_text_part = typed_text_encoder("text")


def result_event(call: CallContext, text: str, failed: bool = True) -> bytes:
    """Return a new row with a result for `call`."""
    block = {"type": "tool-result", "toolCallId": call.id, "isError": failed, "content": [_text_part(text)]}
    message = {"role": "user", "source": {"kind": "tool", "callId": call.id}, "content": [block]}
    return _wrapped(call.raw, RESULT_TYPE, message, f"result:{call.id}")


def result_with_message_id(like: bytes, blocks: list[bytes], seed: str) -> bytes:
    """Return the row that `result_event` made, with an id that depends on its position."""
    return json_edits.set_member(blocks[0], "/data/message", "id", dump_json(deterministic_uuid(seed)))


def user_event(like: bytes, text: str, seed: str) -> bytes:
    message = {
        "role": "user",
        "source": {"kind": "user"},
        "content": [_text_part(text)],
        "id": deterministic_uuid(seed),
    }
    return _event(like, USER_TYPE, message)


def make_invented_call_events(call: CallContext, note: str, seed: str) -> list[bytes]:
    """Return an answer of an unknown model with `note` and a call without arguments."""
    invented = {"type": "tool-call", "id": call.id, "name": call.name or "unknown", "arguments": "{}"}
    source = {"kind": "model", "provider": "unknown", "model": "unknown"}
    message = {"role": "assistant", "source": source, "content": [_text_part(note), invented]}
    return [_wrapped(call.raw, ASSISTANT_TYPE, message, f"{seed}:call")]


def _wrapped(like: bytes, kind: str, message: dict[str, Any], seed: str) -> bytes:
    """Return a row with a message, in the turn and step of `like`."""
    data = object_at(parse_json_cached(like), "/data")
    place = {key: data[key] if isinstance(data.get(key), int) else 1 for key in ("turn", "step")}
    return _event(like, kind, {**place, "message": {**message, "id": deterministic_uuid(seed)}})


def _event(like: bytes, kind: str, data: dict[str, Any]) -> bytes:
    """Return a row with the time of `like`. `update_derived` gives it its number."""
    time = parse_json_cached(like).get("time")
    time = time if isinstance(time, int) else 0
    return dump_json({"type": kind, "seq": None, "time": time, "data": data, "surfaceOp": "append"})


def make_missing_header(first: bytes, session_id: str) -> bytes:
    """Return a header for a log that has lost its own. `first` is its first row; the folder is not known."""
    time = value_at(parse_json(first), "/time")
    created = time if isinstance(time, int) and time >= 0 else 0
    return dump_json({"type": HEADER_TYPE, "version": 0, "id": session_id, "createdAt": created, "delegationDepth": 0})


def rewrite_result(raw: bytes, edits: BlockEdits) -> bytes | None:
    """Return the row of a result after `edits`, None if it is dropped. A replacement brings another type and data."""
    if edits.drop:
        return None
    if edits.replace:
        for pointer in ("/type", "/data"):
            raw = json_edits.replace_value(raw, pointer, raw_json_at(edits.replace[0], pointer))
        return raw
    if 0 in edits.rename:
        for pointer in RESULT_ID_POINTERS:
            holder, _, key = pointer.rpartition("/")
            raw = json_edits.set_member(raw, holder, key, dump_json(edits.rename[0]))
    return raw


def compressed_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the frames of a log: the header in a frame of its own, then frames of whole rows."""
    held, is_header = b"", True
    for piece in pieces:
        held += piece
        if is_header and b"\n" in held:
            header, _, held = held.partition(b"\n")
            yield compress_frame(header + b"\n")
            is_header = False
        if len(held) >= _FRAME_SIZE and not is_header:
            end = held.rfind(b"\n") + 1
            if end:
                yield compress_frame(held[:end])
                held = held[end:]
    if held:
        yield compress_frame(held)


# the numbers of the rows


class _NewNumbers:
    """The new numbers of the rows of a log, given in the order of the rows."""

    def __init__(self) -> None:
        self.next = 0
        self.known: dict[int, int] = {}

    def renumbered(self, columns: Columns, record: int, raw: bytes, is_new: bool) -> bytes:
        """Return a row with its new number, and with those of the rows that it names."""
        numbers = event_numbers(columns, record)
        count = numbers.count if numbers else 1
        event = parse_json(raw)
        if not isinstance(event, dict):
            return raw
        key = "seq0" if event.get("type") in CHUNK_TYPES else "seq"
        if numbers is None or numbers.seq != self.next:
            raw = json_edits.set_member(raw, "", key, dump_json(self.next))
        raw = self._with_new_references(raw, event)
        if numbers and not is_new:
            self.known.update((numbers.seq + each, self.next + each) for each in range(count))
        self.next += count
        return raw

    def _with_new_references(self, raw: bytes, event: dict[str, Any]) -> bytes:
        named = event.get("sourceEventSeqs")
        if isinstance(named, list):
            kept = [self.known[seq] for seq in named if isinstance(seq, int) and seq in self.known]
            if kept != named and (kept or not named):
                raw = json_edits.set_member(raw, "", "sourceEventSeqs", dump_json(kept))
            elif kept != named:
                raw = json_edits.remove_member(raw, "", "sourceEventSeqs")
        first, last = (value_at(event, f"/surfaceOp/{key}") for key in ("start", "end"))
        if isinstance(first, int) and isinstance(last, int):
            left = [self.known[seq] for seq in range(first, last + 1) if seq in self.known]
            if left and [left[0], left[-1]] != [first, last]:
                for key, seq in (("start", left[0]), ("end", left[-1])):
                    raw = json_edits.set_member(raw, "/surfaceOp", key, dump_json(seq))
        return raw


def _renumbered_rows(
    columns: Columns, raw: ReadRecord, first_new: int, dropped: Container[int] = ()
) -> Iterator[tuple[int, bytes]]:
    """Yield each row that changes with its new text. Rows with stable numbers from `first_new` on are new."""
    numbers = _NewNumbers()
    header = -1
    for record, mark in enumerate(columns.marks):
        if mark & RecordMark.UNREADABLE or record in dropped:
            continue
        text = raw(record)
        if record == 0 and event_numbers(columns, 0) is None and value_at(parse_json(text), "/type") == HEADER_TYPE:
            header = record
            continue
        new = numbers.renumbered(columns, record, text, columns.stable_numbers[record] >= first_new)
        if new != text:
            yield record, new
    if header >= 0:
        length = value_at(parse_json(raw(header)), f"/{_SEED_LENGTH}")
        if isinstance(length, int) and length > 0 and numbers.known.get(length - 1, length - 1) != length - 1:
            new = json_edits.set_member(raw(header), "", _SEED_LENGTH, dump_json(numbers.known[length - 1] + 1))
            yield header, new


def renumber_from(columns: Columns, record: int, raw: ReadRecord) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines to renumber or drop; see `Writer.renumber_from`."""
    surplus = _repeated_rows(columns, raw).union(later_headers(columns))
    yield from ((each, None) for each in sorted(surplus))
    yield from _renumbered_rows(columns, raw, len(columns) + 1, surplus)


def _repeated_rows(columns: Columns, raw: ReadRecord) -> set[int]:
    """Return the rows that repeat an earlier one under its number: the same bytes, or one more end of a seed."""
    found, by_number = set[int](), dict[int, int]()
    for record in range(len(columns)):
        numbers = event_numbers(columns, record)
        if numbers is None:
            continue
        earlier = by_number.setdefault(numbers.seq, record)
        if earlier != record and (
            raw(earlier) == raw(record) or (_is_end_seed(raw(earlier)) and _is_end_seed(raw(record)))
        ):
            found.add(record)
    return found


def _is_end_seed(raw: bytes) -> bool:
    return text_at(parse_json(raw), "/type") == _END_SEED


def update_derived(before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
    """Return the rows whose numbers must change after a repair."""
    return DerivedUpdates(dict(_renumbered_rows(after, raw, len(before))), reason=_UPDATE_REASON, pointer="/seq")
