"""Reasoning signed by the provider, and what the last error of the provider says about it.

A provider can verify that reasoning is its own and unchanged. A log shows only whether a signature is there, and what
the provider answered. An anomaly is therefore reported only where one of the two shows it.
"""

from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import BlockFlag, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.error_parser import explain_error, parse_error_text
from inspector.core.storage.json_text import list_at, object_at, parse_json

REASONING_RULES = ("T1", "T2", "T3")
_NAMED = lazy_regex(r"messages\.(\d+)\.content\.\d+")


@cached_on_thread
def reasoning_block_rows(context: ThreadContext) -> list[int]:
    """Return the rows of the reasoning blocks among the records of a session."""
    records = context.session.records
    return context.columns.block_rows_of_kind(BlockKind.THINKING, records.start, records.stop) if records else []


def is_signed(context: ThreadContext, row: int) -> bool:
    return bool(context.columns.block_flags[row] & BlockFlag.SIGNED)


def signed_reasoning_at_or_after(context: ThreadContext, position: int, ordinal: int = 0) -> list[tuple[int, int]]:
    """Return (record, ordinal) of the signed reasoning on the path at or after a place, in order."""
    columns, path = context.columns, context.thread.path
    places = []
    for row in reasoning_block_rows(context):
        record = columns.record_of_block(row)
        place = (context.path_positions.get(record, -1), row - columns.first_block[record])
        if place >= (position, ordinal) and is_signed(context, row):
            places.append(place)
    return [(path[index], number) for index, number in sorted(places)]


def reasoning_in_records(
    context: ThreadContext, records: list[int], include_unsigned: bool = False
) -> list[tuple[int, int]]:
    """Return (record, ordinal) of the signed reasoning in some records.

    With `include_unsigned`, return that of all reasoning.
    """
    columns = context.columns
    places = []
    for record in records:
        for ordinal, row in enumerate(columns.block_rows(record)):
            if columns.block_kinds[row] == BlockKind.THINKING and (include_unsigned or is_signed(context, row)):
                places.append((record, ordinal))
    return places


@cached_on_thread
def refused_reasoning(context: ThreadContext) -> tuple[str, list[tuple[int, int]]]:
    """Return the reasoning that the provider refused in the error at the end of the log.

    The value is a rule and a list of (record, ordinal). It is ("", []) when the error has another cause, or when the
    reasoning that it names is not in the log.
    """
    text = context.last_error[1]
    explanation = explain_error(text) if text else None
    rule = explanation.rules[0] if explanation else ""
    if rule not in REASONING_RULES:
        return "", []
    records = _records_in_error(context, rule, text)
    places = reasoning_in_records(context, records, rule == "T1")
    if places and rule == "T3":
        places = signed_reasoning_at_or_after(context, context.path_positions[records[0]])
    return (rule, places) if places else ("", [])


def _records_in_error(context: ThreadContext, rule: str, text: str) -> list[int]:
    """Return the records that an error about reasoning refers to.

    For T2 that is the newest turn, else the message that the error names.
    """
    return newest_assistant_turn(context) if rule == "T2" else _named_message(context, text)


def _named_message(context: ThreadContext, text: str) -> list[int]:
    """Return the records of the assistant in the message that an error names by its number."""
    match = _NAMED.search(text)
    if match is None:
        return []
    number, pairing, roles = int(match[1]), context.pairing, context.columns.roles
    sent = context.number_messages_as_sent()
    if sent:
        records = sent[number] if number < len(sent) else []
    else:
        pairs = zip(pairing.path, pairing.messages, strict=True)
        records = [record for record, message in pairs if message == number]
    return [record for record in records if roles[record] == Role.ASSISTANT]


def newest_assistant_turn(context: ThreadContext) -> list[int]:
    """Return the records of the newest turn of the assistant."""
    pairing, roles = context.pairing, context.columns.roles
    if not pairing.assistant_turns:
        return []
    newest = pairing.assistant_turns[-1]
    pairs = zip(pairing.path, pairing.turns, strict=True)
    return [record for record, turn in pairs if turn == newest and roles[record] == Role.ASSISTANT]


def is_error_outdated(context: ThreadContext, rule: str, text: str) -> bool:
    """Return whether the reasoning that an error refers to is gone, so that the error predates a repair."""
    if rule == "T4":
        columns, path, named = context.columns, context.thread.path, parse_error_text(text).ids
        unfollowed = (path[position] for position in reasoning_items_without_follower(context))
        ids = [columns.call_ids[columns.first_block[record]] or "" for record in unfollowed]
        if not named or not _sends_reasoning_ids(context) or context.session.missing_part_reason:
            return False  # what is missing may be in another log
        return not any(each.matches(item_id) for each in named for item_id in ids)
    records = _records_in_error(context, rule, text)
    return bool(records) and not reasoning_in_records(context, records, rule == "T1")


def _sends_reasoning_ids(context: ThreadContext) -> bool:
    return context.sends_item_ids or context.format.sends_reasoning_ids


def repeated_reasoning_ids(context: ThreadContext) -> dict[int, int]:
    """Map reasoning records with an id that was used before on the path to the first record with that id."""
    columns, path = context.columns, context.thread.path
    if not context.sends_item_ids:
        return {}
    first: dict[str, int] = {}
    first_by_repeat = {}
    for position in sorted(
        context.path_positions.get(columns.record_of_block(row), -1) for row in reasoning_block_rows(context)
    ):
        item_id = columns.call_ids[columns.first_block[path[position]]] if position >= 0 else None
        if item_id and first.setdefault(item_id, path[position]) != path[position]:
            first_by_repeat[path[position]] = first[item_id]
    return first_by_repeat


def reasoning_items_with_content(context: ThreadContext) -> list[tuple[int, bool]]:
    """Return the records of reasoning items on the path that hold text in `content`, in order.

    The second value says whether the item holds encrypted content as well.
    """
    columns, records, found = context.columns, context.session.records, []
    rows = columns.block_rows_with_flag(BlockFlag.CONTENT_LIST, records.start, records.stop) if records else []
    for row in rows:
        record = columns.record_of_block(row)
        position = context.path_positions.get(record, -1)
        if position < 0 or columns.block_kinds[row] != BlockKind.THINKING:
            continue
        raw = context.raw(record)
        item = object_at(parse_json(raw), context.format.item_pointer(raw))
        if any(context.format.sends_reasoning_part(part) for part in list_at(item, "/content")):
            found.append((position, bool(item.get("encrypted_content"))))
    return [(context.thread.path[position], is_encrypted) for position, is_encrypted in sorted(found)]


def reasoning_items_without_follower(context: ThreadContext) -> list[int]:
    """Return the path positions of reasoning items with an id that no item of the assistant follows.

    Return none where part of the history is kept elsewhere, because the follower may be there.
    """
    columns, path = context.columns, context.thread.path
    if not _sends_reasoning_ids(context) or context.session.missing_part_reason:
        return []
    positions = []
    for row in reasoning_block_rows(context):
        position = context.path_positions.get(columns.record_of_block(row), -1)
        if columns.call_ids[row] and position >= 0:
            next_position = position + 1
            while next_position < len(path) and columns.roles[path[next_position]] in (Role.OPAQUE, Role.LINK):
                next_position += 1
            if next_position == len(path) or columns.roles[path[next_position]] != Role.ASSISTANT:
                positions.append(position)
    return positions
