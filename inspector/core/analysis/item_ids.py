"""The own ids of the items of the Responses API, by which the provider tells items apart."""

from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.openai_responses.schema import NON_MESSAGE_TYPES, OUTPUT_TYPES, decode_item, item_type
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import parse_json

_ID = lazy_regex(rb'"id"\s*:\s*"([^"]+)"')
# Another rule reports reasoning. An output is bound to its call, so that a second one is a second result.
_SPEAKERS = (Role.USER, Role.ASSISTANT, Role.SYSTEM)
_NOT_COMPARED = OUTPUT_TYPES.keys() | NON_MESSAGE_TYPES | {"reasoning"}


def sends_item_ids(context: ThreadContext) -> bool:
    """Return whether every item goes back to the provider under its own id, by a program or by an agent."""
    return context.sends_item_ids or context.session.sends_item_ids


def repeated_item_ids(context: ThreadContext) -> dict[int, tuple[str, str]]:
    """Return the items on the path whose own id an earlier item carries, as (type, id) by record.

    Return none where items are sent under other ids. Only the items in which an id stands twice in the log are parsed.
    """
    if not sends_item_ids(context):
        return {}
    columns, seen = context.columns, set[bytes]()
    repeated: set[bytes] = set()
    ids_by_record: dict[int, set[bytes]] = {}
    for record in context.thread.path:
        if columns.roles[record] not in _SPEAKERS or columns.marks[record] & RecordMark.UNREADABLE:
            continue
        rows = columns.block_rows(record)
        if rows and columns.block_kinds[rows[0]] == BlockKind.THINKING:
            continue
        if ids := set(_ID.findall(context.raw(record))):
            ids_by_record[record] = ids
            repeated |= seen & ids
            seen |= ids
    found: dict[int, tuple[str, str]] = {}
    calls_by_id: dict[str, set[str | None]] = {}
    for record, ids in ids_by_record.items() if repeated else ():
        if ids.isdisjoint(repeated):
            continue
        raw = context.raw(record)
        item = decode_item(parse_json(raw_json_at(raw, context.format.item_pointer(raw))))
        kind = item_type(item)
        if item.id and kind not in _NOT_COMPARED:
            calls = calls_by_id.setdefault(item.id, set())
            # A call whose id is used twice as well is reported by that one.
            if calls and (item.call_id is None or item.call_id not in calls):
                found[record] = kind, item.id
            calls.add(item.call_id)
    return found
