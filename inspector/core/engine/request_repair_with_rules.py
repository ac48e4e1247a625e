"""Repair of messages in memory with all rules, as a log that exists only in memory."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from msgspec.structs import asdict

from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import open_log
from inspector.core.engine.repaired_messages import MessageEdit, RepairedMessages
from inspector.core.errors import NotVerified, TooDeep, UnreadableLog, WrongFormat
from inspector.core.formats.base.format import ReadOptions
from inspector.core.repair.choices import Choices
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.plan import Plan, plan_repair
from inspector.core.save.save import checked_copy_bytes
from inspector.core.storage.json_text import is_too_deep, parse_json
from inspector.core.storage.nesting_limits import MAX_NESTING_STANDARD_PARSER
from inspector.core.storage.source import Source
from inspector.core.translation import tr


def repair_with_rules(
    messages: Sequence[Any], plain: Sequence[Any], format: str, profile: str, preset: str
) -> RepairedMessages:
    """Return the repaired messages; see `request_repair.repair_messages`.

    `plain` are the messages as JSON values. Of those that stay as they are, the result has the given objects.
    """
    planned = plan_message_repair(plain, format, profile, preset)
    if not planned.verified:
        raise NotVerified(
            tr("The messages cannot be repaired in a way that the provider accepts: {reason}", reason=planned.reason)
        )
    if planned.changes_nothing:
        return RepairedMessages(list(messages), range(len(messages)))
    checked_copy_bytes(planned)
    draft = planned.draft
    records = tuple(slot if slot < draft.original_count else None for slot in draft.columns.stable_numbers)
    edits, losses = tuple(_message_edits(planned)), tuple(draft.losses)
    return RepairedMessages(_outcome(planned, messages), records, edits, losses)


def plan_message_repair(messages: Sequence[Any], format: str, profile: str, preset: str) -> Plan:
    """Plan the repair of messages without carrying it out. Raises InspectorError."""
    return plan_repair(check_with_rules(messages, format, profile), Choices(preset, profile=profile))


def check_with_rules(messages: Sequence[Any], format: str, profile: str) -> Report:
    """Check messages with all rules. Raises InspectorError."""
    source = Source.of_bytes(_text_of(messages))
    try:
        log = open_log(source, format, ReadOptions(deep=True))
    except WrongFormat as error:
        raise _wrong_format(format) from error
    if len(log.columns) != len(messages):
        raise _wrong_format(format)
    return check(log, profile)


def _wrong_format(format: str) -> UnreadableLog:
    return UnreadableLog(
        tr("These messages are not in the {format} format. Pass the request's list of messages.", format=format)
    )


def _text_of(messages: Sequence[Any]) -> bytes:
    """Return the messages as JSON. The json module also writes long numbers and lone surrogates."""
    try:
        return orjson.dumps(messages)
    except (TypeError, ValueError):
        pass
    for number, message in enumerate(messages):
        try:
            text = json.dumps(message, allow_nan=False)
        except RecursionError as error:
            raise _too_deep(number) from error
        except (TypeError, ValueError) as error:
            raise UnreadableLog(
                tr(
                    "messages[{number}] cannot be written as JSON ({error}). Pass plain dicts and lists, as "
                    "returned by `model_dump`.",
                    number=number,
                    error=error,
                )
            ) from error
        if is_too_deep(text.encode()):
            raise _too_deep(number)
    return json.dumps(list(messages), allow_nan=False).encode()


def _too_deep(number: int) -> TooDeep:
    return TooDeep(
        tr(
            "messages[{number}] cannot be read, because it has more than {max_nesting_standard_parser} levels "
            "of nesting.",
            number=number,
            max_nesting_standard_parser=MAX_NESTING_STANDARD_PARSER,
        )
    )


def _outcome(planned: Plan, messages: Sequence[Any]) -> list[Any]:
    """Return the messages in their new order: unchanged ones as the same objects, changed and added ones parsed."""
    draft = planned.draft
    return [
        messages[slot]
        if slot < draft.original_count and slot not in draft.texts
        else parse_json(draft.slot_bytes(slot))
        for slot in draft.columns.stable_numbers
    ]


def _message_edits(planned: Plan) -> Iterator[MessageEdit]:
    """Yield the edits of a plan with the index of each message in the outcome."""
    draft = planned.draft
    indexes = {slot: index for index, slot in enumerate(draft.columns.stable_numbers)}
    # The order in which edits_of lists the added messages.
    added = iter(
        slot
        for anchor in sorted(draft.followers, key=draft.anchor_record)
        for slot in draft.followers[anchor]
        if slot >= draft.original_count
    )
    for _, edit in edits_of(planned):
        slot = next(added) if edit.record is None else edit.record
        yield MessageEdit(**asdict(edit), message=indexes.get(slot))
