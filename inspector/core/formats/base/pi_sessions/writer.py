"""Edits of a pi session: new entries as pi writes them, and the ids by which summaries name other entries.

Facts: pi-coding-agent 0.73.1 and 0.87.1, `core/session-manager.ts` (`appendMessage`, `generateId`: any text may be an
id, and a UUID is what pi falls back to), pi-ai `types.ts` (a result names its tool, and its content is a list).
"""

from collections.abc import Container, Iterator
from typing import Any

from inspector.core.formats.base.pi_sessions.loader import first_kept_position
from inspector.core.formats.base.pi_sessions.reader import ENTRY_BLOCK_SCHEMA, HEADER_TYPE, SUMMARY_LINK_KEYS
from inspector.core.formats.base.writer import BlockEdits, CallContext, DerivedUpdates, deterministic_uuid
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.providers.block_schema import typed_text_encoder, update_tool_block
from inspector.core.providers.message_fields import MEDIA_TYPES_BESIDE_TEXT, media_parts
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, parse_json, parse_json_cached, value_at
from inspector.core.translation import tr

_UPDATE_REASON = tr(
    "the repair removed the entry that this reference points to, or inserted a new entry before that entry"
)
_TOKEN_COUNTS = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)
_NO_USAGE = {**_TOKEN_COUNTS, "totalTokens": 0, "cost": {**_TOKEN_COUNTS, "total": 0}}
_NO_ENTRY = "root"  # what pi writes if a branch begins before the first entry
_text_part = typed_text_encoder("text")


def result_entry(call: CallContext, text: str, failed: bool = True) -> bytes:
    """Return a new entry with a result for `call`."""
    message = {"role": "toolResult", "toolCallId": call.id, "toolName": call.name, "content": [_text_part(text)]}
    return _entry(call.raw, message | {"isError": failed}, f"result:{call.id}")


def user_entry(like: bytes, text: str, seed: str) -> bytes:
    return _entry(like, {"role": "user", "content": [_text_part(text)]}, seed)


def make_invented_call_entries(call: CallContext, note: str, seed: str) -> list[bytes]:
    """Return an answer of an unknown model with `note` and a call without arguments."""
    content = [_text_part(note), {"type": "toolCall", "id": call.id, "name": call.name, "arguments": {}}]
    message = {"role": "assistant", "content": content, **dict.fromkeys(("api", "provider", "model"), "unknown")}
    return [_entry(call.raw, message | {"usage": _NO_USAGE, "stopReason": "toolUse"}, f"{seed}:call")]


def _entry(like: bytes, message: dict[str, Any], seed: str) -> bytes:
    """Return an entry with the time of `like`, and without an id if `like` has none (in a file of version 1)."""
    row = parse_json_cached(like)
    like_message = row.get("message")
    if isinstance(like_message, dict) and "timestamp" in like_message:
        message = message | {"timestamp": like_message["timestamp"]}
    head = {"parentId": None, "type": "message", "id": deterministic_uuid(seed)} if "id" in row else {"type": "message"}
    return dump_json({**head, "timestamp": row.get("timestamp"), "message": message})


def result_with_entry_id(like: bytes, blocks: list[bytes], seed: str) -> bytes:
    """Return the entry that `result_entry` made, with an id that depends on its position."""
    raw = blocks[0]
    return json_edits.set_member(raw, "", "id", dump_json(deterministic_uuid(seed))) if "id" in parse_json(raw) else raw


def quote_result_as_user_text(raw: bytes, text: str) -> bytes:
    """Return a result as quoted text of the user's, with the media that it held."""
    content = [_text_part(text), *media_of_result(parse_json(raw))]
    return dump_json({"message": {"role": "user", "content": content}})


def media_of_result(result: Any) -> Iterator[dict[str, Any]]:
    """Yield the media of a parsed entry with a result that a message of the user can hold."""
    parts = media_parts(value_at(result, "/message/content"))
    return (part for part in parts if part["type"] in MEDIA_TYPES_BESIDE_TEXT)


def rewrite_result(raw: bytes, edits: BlockEdits) -> bytes | None:
    """Return the entry of a result after `edits`, None if it is dropped.

    A result is the message of its entry, so a replacement brings another message, and the entry stays.
    """
    if edits.drop:
        return None
    if edits.replace:
        replacement = edits.replace[0]
        return json_edits.replace_value(raw, "/message", raw_json_at(replacement, "/message"))
    return update_tool_block(raw, "", ENTRY_BLOCK_SCHEMA.results, *edits.for_block(0))


def make_missing_header(first: bytes, known: str) -> bytes:
    """Return a header for a file that has lost its own. `first` is its first entry; the folder is not known."""
    row = parse_json(first)
    version = {"version": 3} if "id" in row else {}
    return dump_json(
        {"type": HEADER_TYPE, **version, "id": deterministic_uuid(f"header:{known}"), "timestamp": row.get("timestamp")}
    )


def update_derived(before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
    """Return the entries whose named ids must change after a repair.

    A compaction keeps what it kept and what was added among it, and a summary names an entry that is left.
    """
    updates = DerivedUpdates(reason=_UPDATE_REASON)
    if not any(before.groups):
        return updates
    remaining = {uuid: record for record, uuid in enumerate(after.uuids)}
    added = {uuid for uuid, slot in zip(after.uuids, after.stable_numbers, strict=True) if slot >= len(before)}
    record_of = {uuid: record for record, uuid in enumerate(before.uuids)}
    duplicates = {before.uuids[later] for _, later in RecordTree(before).duplicate_ids}
    for record, slot in enumerate(after.stable_numbers):
        target_id = before.groups[slot] if slot < len(before) else None
        if target_id is None or target_id not in record_of:
            continue
        target = remaining.get(target_id, -1)
        # Of two entries with one id, the named one may have got another id.
        entry = _named_entry(before, slot, target_id) if target_id in duplicates else record_of[target_id]
        if target >= 0 and after.stable_numbers[target] == entry and after.parents[target] not in added:
            continue
        wanted: str | None
        if after.marks[record] & RecordMark.COMPACTION:
            key, wanted = SUMMARY_LINK_KEYS["compaction"], _kept_after_repair(before, after, record)
        elif after.roles[record] != Role.LINK:
            key, wanted = SUMMARY_LINK_KEYS["branch_summary"], _nearest_remaining(before, target_id, remaining)
        else:
            # An edit of a removed entry must not edit another one.
            key, wanted = "targetId", target_id
        if wanted != after.groups[record]:
            updates.replaced[record] = json_edits.set_member(raw(record), "", key, dump_json(wanted))
    return updates


def _named_entry(before: Columns, summary: int, target_id: str) -> int:
    """Return the entry that a summary names: one on its own path, else the last with that id."""
    path, _ = RecordTree(before).path_to(summary)
    uuids = before.uuids
    last = len(uuids) - 1 - uuids[::-1].index(target_id)
    return next((record for record in path if uuids[record] == target_id), last)


def _kept_after_repair(before: Columns, after: Columns, compaction: int) -> str | None:
    """Return the id that a compaction names: its own if all it kept is gone, the old one if it kept nothing."""
    path, _ = RecordTree(after).path_to(compaction)
    path_before, _ = RecordTree(before).path_to(after.stable_numbers[compaction])
    if first_kept_position(before, before, path_before, len(path_before) - 1) == len(path_before) - 1:
        return after.groups[compaction]
    return after.uuids[path[first_kept_position(before, after, path, len(path) - 1)]]


def _nearest_remaining(before: Columns, target_id: str | None, remaining: Container[str | None]) -> str:
    """Return the id of the nearest entry up the parents that is left, "root" if there is none."""
    path, _ = RecordTree(before).path_to(before.uuids.index(target_id))
    return next((uuid for record in reversed(path) if (uuid := before.uuids[record]) in remaining and uuid), _NO_ENTRY)
