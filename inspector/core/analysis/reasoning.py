"""Reasoning that carries the provider's signature, and what the provider's last error says of it.

A provider can tell whether reasoning is its own and unchanged; a log shows only whether a signature is there, and what
the provider answered. So a class is found where one of the two is plain to see.
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
    """The blocks of reasoning among the records of a session."""
    members = scene.session.records
    return scene.columns.block_rows_of_kind(BlockKind.THINKING, members.start, members.stop) if members else []


def is_signed(scene: ThreadContext, row: int) -> bool:
    return bool(scene.columns.block_flags[row] & BlockFlag.SIGNED)


def signed_reasoning_from(scene: ThreadContext, position: int, ordinal: int = 0) -> list[tuple[int, int]]:
    """(record, ordinal) of the signed reasoning on the path at or behind a place, in order."""
    columns, path = scene.columns, scene.thread.path
    found = []
    for row in reasoning_rows(scene):
        record = columns.record_of_block(row)
        here = (scene.path_positions.get(record, -1), row - columns.first_block[record])
        if here >= (position, ordinal) and is_signed(scene, row):
            found.append(here)
    return [(path[at], number) for at, number in sorted(found)]


def reasoning_in_records(
    scene: ThreadContext, records: list[int], include_unsigned: bool = False
) -> list[tuple[int, int]]:
    """(record, ordinal) of the signed reasoning in some records, with `unsigned` of all."""
    columns = scene.columns
    found = []
    for record in records:
        for ordinal, row in enumerate(columns.block_rows(record)):
            if columns.block_kinds[row] == BlockKind.THINKING and (include_unsigned or is_signed(scene, row)):
                found.append((record, ordinal))
    return found


@cached_on_thread
def refused_reasoning(scene: ThreadContext) -> tuple[str, list[tuple[int, int]]]:
    """What the provider refused in the error that the log ends with: a rule, and (record, ordinal) of the reasoning.

    ("", []) when the error is of something else, or what it names is not in the log.
    """
    text = scene.last_error[1]
    known = explain_error(text) if text else None
    rule = known.rules[0] if known else ""
    if rule not in REASONING_RULES:
        return "", []
    told = _records_in_error(scene, rule, text)
    found = reasoning_in_records(scene, told, rule == "T1")
    if found and rule == "T3":
        found = signed_reasoning_from(scene, scene.path_positions[told[0]])
    return (rule, found) if found else ("", [])


def _records_in_error(scene: ThreadContext, rule: str, text: str) -> list[int]:
    """The records that an error about reasoning speaks of: the newest turn (T2), or the message that it names."""
    return newest_assistant_turn(scene) if rule == "T2" else _named_message(scene, text)


def _named_message(scene: ThreadContext, text: str) -> list[int]:
    """The assistant's records that make up the message that an error names by its number."""
    match = _NAMED.search(text)
    if match is None:
        return []
    number, pairing, roles = int(match[1]), scene.pairing, scene.columns.roles
    sent = scene.number_messages_as_sent()
    if sent:
        found = sent[number] if number < len(sent) else []
    else:
        pairs = zip(pairing.path, pairing.messages, strict=True)
        found = [record for record, message in pairs if message == number]
    return [record for record in found if roles[record] == Role.ASSISTANT]


def newest_assistant_turn(scene: ThreadContext) -> list[int]:
    """The records of the newest turn of the assistant."""
    pairing, roles = scene.pairing, scene.columns.roles
    if not pairing.assistant_turns:
        return []
    newest = pairing.assistant_turns[-1]
    pairs = zip(pairing.path, pairing.turns, strict=True)
    return [record for record, turn in pairs if turn == newest and roles[record] == Role.ASSISTANT]


def is_error_outdated(scene: ThreadContext, rule: str, text: str) -> bool:
    """Whether what an error of this rule spoke of is no longer there: the error is from before a repair."""
    told = _records_in_error(scene, rule, text)
    return bool(told) and not reasoning_in_records(scene, told, rule == "T1")


def repeated_reasoning_ids(scene: ThreadContext) -> dict[int, int]:
    """The records of reasoning whose id one before it on the path carries, with the record of the first such."""
    columns, path = scene.columns, scene.thread.path
    if not scene.sends_item_ids:
        return {}
    first: dict[str, int] = {}
    found = {}
    for at in sorted(scene.path_positions.get(columns.record_of_block(row), -1) for row in reasoning_rows(scene)):
        name = columns.call_ids[columns.first_block[path[at]]] if at >= 0 else None
        if name and first.setdefault(name, path[at]) != path[at]:
            found[path[at]] = first[name]
    return found


def reasoning_items_without_follower(scene: ThreadContext) -> list[int]:
    """Positions on the path of reasoning items with an id that no item of the assistant follows.

    Nothing, where a part of the history is kept elsewhere: what follows may be there.
    """
    columns, path = scene.columns, scene.thread.path
    if not scene.sends_item_ids or scene.session.missing_part_reason:
        return []
    found = []
    for row in reasoning_rows(scene):
        position = scene.path_positions.get(columns.record_of_block(row), -1)
        if columns.call_ids[row] and position >= 0:
            after = position + 1
            while after < len(path) and columns.roles[path[after]] in (Role.OPAQUE, Role.LINK):
                after += 1
            if after == len(path) or columns.roles[path[after]] != Role.ASSISTANT:
                found.append(position)
    return found
