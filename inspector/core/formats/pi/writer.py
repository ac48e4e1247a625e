"""New entries as pi writes them, and the names by which summaries hold on to others.

Facts: pi-coding-agent 0.73.1 and 0.87.1, `core/session-manager.ts` (`appendMessage`, `generateId`: any text may be an
id, and a UUID is what pi falls back to), pi-ai `types.ts` (a result names its tool, and its content is a list).
"""

from collections.abc import Container
from typing import Any

from inspector.core.formats.base.writer import BlockEdits, CallContext, DerivedUpdates, deterministic_uuid
from inspector.core.formats.pi.loader import first_kept
from inspector.core.formats.pi.reader import ENTRY_BLOCK_SCHEMA, HEADER_TYPE, SUMMARY_LINKS
from inspector.core.model.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.providers.block_schema import typed_text_encoder, update_tool_block
from inspector.core.providers.message_fields import MEDIA_TYPES_BESIDE_TEXT, media_parts
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import json_at
from inspector.core.storage.json_text import dump_json, parse_json

_UPDATE_REASON = "names an entry that the repair took away, or put another one before"
_TOKEN_COUNTS = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)
_NO_USAGE = {**_TOKEN_COUNTS, "totalTokens": 0, "cost": {**_TOKEN_COUNTS, "total": 0}}
_NO_ENTRY = "root"  # what pi writes where a branch begins before the first entry
_text_part = typed_text_encoder("text")


def result_entry(call: CallContext, text: str, failed: bool = True) -> bytes:
    """An entry with a result, which names its tool."""
    told = {"role": "toolResult", "toolCallId": call.id, "toolName": call.name, "content": [_text_part(text)]}
    return _entry(call.raw, told | {"isError": failed}, f"result:{call.id}")


def user_entry(like: bytes, text: str, seed: str) -> bytes:
    return _entry(like, {"role": "user", "content": [_text_part(text)]}, seed)


def call_entries(call: CallContext, note: str, seed: str) -> list[bytes]:
    """An answer with `note` and a call without arguments, of no model that is known."""
    content = [_text_part(note), {"type": "toolCall", "id": call.id, "name": call.name, "arguments": {}}]
    known = {"role": "assistant", "content": content, **dict.fromkeys(("api", "provider", "model"), "unknown")}
    return [_entry(call.raw, known | {"usage": _NO_USAGE, "stopReason": "toolUse"}, f"{seed}:call")]


def _entry(like: bytes, message: dict[str, Any], seed: str) -> bytes:
    """An entry at the time of `like`; without an id where that has none, in a file of version 1."""
    row = parse_json(like)
    held = row.get("message")
    if isinstance(held, dict) and "timestamp" in held:
        message = message | {"timestamp": held["timestamp"]}
    linked = (
        {"parentId": None, "type": "message", "id": deterministic_uuid(seed)} if "id" in row else {"type": "message"}
    )
    return dump_json({**linked, "timestamp": row.get("timestamp"), "message": message})


def result_entry_with_id(like: bytes, blocks: list[bytes], seed: str) -> bytes:
    """The entry that `answer` made, under the id that its place gives it."""
    raw = blocks[0]
    return json_edits.set_member(raw, "", "id", dump_json(deterministic_uuid(seed))) if "id" in parse_json(raw) else raw


def quoted_result(raw: bytes, text: str) -> bytes:
    """A result kept as quoted text of the user's, with what it held beside text."""
    content = parse_json(raw)["message"].get("content")
    media = [part for part in media_parts(content) if part["type"] in MEDIA_TYPES_BESIDE_TEXT]
    return dump_json({"message": {"role": "user", "content": [_text_part(text), *media]}})


def rewrite_result(raw: bytes, edits: BlockEdits) -> bytes | None:
    """A result is the message of its entry: what takes its place brings another message, and the entry stays."""
    if edits.drop:
        return None
    if edits.replace:
        new = edits.replace[0]
        return json_edits.replace_value(raw, "/message", json_at(new, "/message"))
    return update_tool_block(raw, "", ENTRY_BLOCK_SCHEMA.results, *edits.for_block(0))


def header_before(first: bytes, known: str) -> bytes:
    """A header for a file that has lost its own; `first` is its first entry. The folder is not known."""
    row = parse_json(first)
    version = {"version": 3} if "id" in row else {}
    return dump_json(
        {"type": HEADER_TYPE, **version, "id": deterministic_uuid(f"header:{known}"), "timestamp": row.get("timestamp")}
    )


def update_derived(before: Columns, after: Columns, raw: ReadRecord) -> DerivedUpdates:
    """Let a compaction keep what it kept, and what was put between that, and a summary name an entry that is there."""
    settled = DerivedUpdates(reason=_UPDATE_REASON)
    if not any(before.groups):
        return settled
    there = {uuid: record for record, uuid in enumerate(after.uuids)}
    added = {uuid for uuid, slot in zip(after.uuids, after.stable_numbers, strict=True) if slot >= len(before)}
    meant = {uuid: record for record, uuid in enumerate(before.uuids)}
    twice = {before.uuids[later] for _, later in RecordTree(before).duplicate_ids}
    for record, slot in enumerate(after.stable_numbers):
        named = before.groups[slot] if slot < len(before) else None
        if named is None or named not in meant:
            continue
        held = there.get(named, -1)
        # Of two entries with one id, the one that was meant may have got another.
        entry = _named_entry(before, slot, named) if named in twice else meant[named]
        if held >= 0 and after.stable_numbers[held] == entry and after.parents[held] not in added:
            continue
        wanted: str | None
        if after.marks[record] & RecordMark.COMPACTION:
            key, wanted = SUMMARY_LINKS["compaction"], _kept_after_repair(before, after, record)
        elif after.roles[record] != Role.LINK:
            key, wanted = SUMMARY_LINKS["branch_summary"], _nearest_remaining(before, named, there)
        else:
            # An edit of an entry that is gone edits no other one.
            key, wanted = "targetId", named
        if wanted != after.groups[record]:
            settled.replaced[record] = json_edits.set_member(raw(record), "", key, dump_json(wanted))
    return settled


def _named_entry(before: Columns, summary: int, named: str) -> int:
    """The entry that a summary names: one on its own path, else the last of that id."""
    path, _ = RecordTree(before).path_to(summary)
    uuids = before.uuids
    last = len(uuids) - 1 - uuids[::-1].index(named)
    return next((record for record in path if uuids[record] == named), last)


def _kept_after_repair(before: Columns, after: Columns, compaction: int) -> str | None:
    """What a compaction is to name: itself where all that it kept is gone, and the same where it kept nothing."""
    path, _ = RecordTree(after).path_to(compaction)
    was, _ = RecordTree(before).path_to(after.stable_numbers[compaction])
    if first_kept(before, before, was, len(was) - 1) == len(was) - 1:
        return after.groups[compaction]
    return after.uuids[path[first_kept(before, after, path, len(path) - 1)]]


def _nearest_remaining(before: Columns, named: str | None, there: Container[str | None]) -> str:
    """The nearest entry up the parents that is left."""
    path, _ = RecordTree(before).path_to(before.uuids.index(named))
    return next((uuid for record in reversed(path) if (uuid := before.uuids[record]) in there and uuid), _NO_ENTRY)
