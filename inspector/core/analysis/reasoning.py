"""Reasoning signed by the provider, and what the last error of the provider says about it.

A provider can verify that reasoning is its own and unchanged. A log shows only whether a signature is there, and what
the provider answered. An anomaly is therefore reported only where one of the two shows it.
"""

import re

from inspector.core.analysis.thread import ThreadContext, cached_on_thread
from inspector.core.model.columns import BlockFlag, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.error_parser import explain_error

REASONING_RULES = ("T1", "T2", "T3")
_NAMED = re.compile(r"messages\.(\d+)\.content\.\d+")


@cached_on_thread
def reasoning_rows(scene: ThreadContext) -> list[int]:
    """Return the rows of the reasoning blocks among the records of a session."""
    records = scene.session.records
    return scene.columns.block_rows_of_kind(BlockKind.THINKING, records.start, records.stop) if records else []


def is_signed(scene: ThreadContext, row: int) -> bool:
    return bool(scene.columns.block_flags[row] & BlockFlag.SIGNED)


def signed_reasoning_from(scene: ThreadContext, position: int, ordinal: int = 0) -> list[tuple[int, int]]:
    """Return (record, ordinal) of the signed reasoning on the path at or after a place, in order."""
    columns, path = scene.columns, scene.thread.path
    places = []
    for row in reasoning_rows(scene):
        record = columns.record_of_block(row)
        place = (scene.path_positions.get(record, -1), row - columns.first_block[record])
        if place >= (position, ordinal) and is_signed(scene, row):
            places.append(place)
    return [(path[index], number) for index, number in sorted(places)]


def reasoning_in_records(
    scene: ThreadContext, records: list[int], include_unsigned: bool = False
) -> list[tuple[int, int]]:
    """Return (record, ordinal) of the signed reasoning in some records.

    With `include_unsigned`, return that of all reasoning.
    """
    columns = scene.columns
    places = []
    for record in records:
        for ordinal, row in enumerate(columns.block_rows(record)):
            if columns.block_kinds[row] == BlockKind.THINKING and (include_unsigned or is_signed(scene, row)):
                places.append((record, ordinal))
    return places


@cached_on_thread
def refused_reasoning(scene: ThreadContext) -> tuple[str, list[tuple[int, int]]]:
    """Return the reasoning that the provider refused in the error at the end of the log.

    The value is a rule and a list of (record, ordinal). It is ("", []) when the error has another cause, or when the
    reasoning that it names is not in the log.
    """
    text = scene.last_error[1]
    explanation = explain_error(text) if text else None
    rule = explanation.rules[0] if explanation else ""
    if rule not in REASONING_RULES:
        return "", []
    records = _records_in_error(scene, rule, text)
    places = reasoning_in_records(scene, records, rule == "T1")
    if places and rule == "T3":
        places = signed_reasoning_from(scene, scene.path_positions[records[0]])
    return (rule, places) if places else ("", [])


def _records_in_error(scene: ThreadContext, rule: str, text: str) -> list[int]:
    """Return the records that an error about reasoning refers to.

    For T2 that is the newest turn, else the message that the error names.
    """
    return newest_assistant_turn(scene) if rule == "T2" else _named_message(scene, text)


def _named_message(scene: ThreadContext, text: str) -> list[int]:
    """Return the records of the assistant in the message that an error names by its number."""
    match = _NAMED.search(text)
    if match is None:
        return []
    number, pairing, roles = int(match[1]), scene.pairing, scene.columns.roles
    sent = scene.number_messages_as_sent()
    if sent:
        records = sent[number] if number < len(sent) else []
    else:
        pairs = zip(pairing.path, pairing.messages, strict=True)
        records = [record for record, message in pairs if message == number]
    return [record for record in records if roles[record] == Role.ASSISTANT]


def newest_assistant_turn(scene: ThreadContext) -> list[int]:
    """Return the records of the newest turn of the assistant."""
    pairing, roles = scene.pairing, scene.columns.roles
    if not pairing.assistant_turns:
        return []
    newest = pairing.assistant_turns[-1]
    pairs = zip(pairing.path, pairing.turns, strict=True)
    return [record for record, turn in pairs if turn == newest and roles[record] == Role.ASSISTANT]


def is_error_outdated(scene: ThreadContext, rule: str, text: str) -> bool:
    """Return whether the reasoning that an error refers to is gone, so that the error predates a repair."""
    records = _records_in_error(scene, rule, text)
    return bool(records) and not reasoning_in_records(scene, records, rule == "T1")


def repeated_reasoning_ids(scene: ThreadContext) -> dict[int, int]:
    """Map reasoning records with an id that was used before on the path to the first record with that id."""
    columns, path = scene.columns, scene.thread.path
    if not scene.sends_item_ids:
        return {}
    first: dict[str, int] = {}
    first_by_repeat = {}
    for position in sorted(scene.path_positions.get(columns.record_of_block(row), -1) for row in reasoning_rows(scene)):
        item_id = columns.call_ids[columns.first_block[path[position]]] if position >= 0 else None
        if item_id and first.setdefault(item_id, path[position]) != path[position]:
            first_by_repeat[path[position]] = first[item_id]
    return first_by_repeat


def reasoning_items_without_follower(scene: ThreadContext) -> list[int]:
    """Return the path positions of reasoning items with an id that no item of the assistant follows.

    Return none where part of the history is kept elsewhere, because the follower may be there.
    """
    columns, path = scene.columns, scene.thread.path
    if not scene.sends_item_ids or scene.session.missing_part_reason:
        return []
    positions = []
    for row in reasoning_rows(scene):
        position = scene.path_positions.get(columns.record_of_block(row), -1)
        if columns.call_ids[row] and position >= 0:
            next_position = position + 1
            while next_position < len(path) and columns.roles[path[next_position]] in (Role.OPAQUE, Role.LINK):
                next_position += 1
            if next_position == len(path) or columns.roles[path[next_position]] != Role.ASSISTANT:
                positions.append(position)
    return positions
