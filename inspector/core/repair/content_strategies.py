"""Strategies for messages, reasoning, calls of the provider's own tools, media, and damaged bytes."""

import re
from typing import Any

from inspector.core.analysis.damage import ENCODING_DAMAGE, Damage, damaged_places
from inspector.core.analysis.reasoning import repeated_reasoning_ids
from inspector.core.analysis.refused_content import malformed_messages, refused_media
from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.analysis.tool_references import REPLACED_REFERENCE, refused_references
from inspector.core.check.check import Verdict, check
from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.format import Format, ReadOptions
from inspector.core.model.columnar_index import RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.anthropic.schema import referenced_tool
from inspector.core.providers.block_views import coerce_call_input
from inspector.core.providers.media import MeasuredMedia, describe_media, parse_media
from inspector.core.providers.message_fields import result_text, string_in, texts_in_record
from inspector.core.providers.message_misfits import fix_misfits
from inspector.core.repair.edits import Loss
from inspector.core.repair.strategy_task import REMOVED_BINDING_ID_REASON, StrategyTask
from inspector.core.repair.unreported_losses import LONGEST_WORD
from inspector.core.rules.chat_templates import CHANNEL_TAGS, unsupported_parts
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import (
    coerce_to_json_object,
    dump_json,
    javascript_can_parse,
    parse_json,
    value_at,
)
from inspector.core.storage.source import Source
from inspector.core.translation import tr

_FIRST_USER_TEXT = "[The beginning of this conversation is not part of the log.]"
_BRIDGE_TEXT = "[No answer to this result was recorded.]"
_NO_ANSWER_TEXT = "[No answer to this message was recorded.]"
_NO_QUESTION_TEXT = "[No user message was recorded here.]"
_USER_MESSAGE = tr("changed to a user message")
_QUOTED = 200  # characters of a part that its note quotes
_FALLBACK_NAME = "invalid_tool_call"  # as hermes calls it
_LONGEST_NAME = 64
_ONE_ID = tr("another item with this id is kept")
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
# The names of members that hold ids and signatures.
_NO_WORDS = re.compile(r"(?:^id|_id|I[dD]|[sS]ignature)$")
_HISTORY_CUT = tr("the end of the history was cut off")
_KINDS = {BlockKind.TEXT: "text", BlockKind.RESULT: "result", BlockKind.CALL: "call", BlockKind.THINKING: "reasoning"}


def cut_tail(task: StrategyTask) -> None:
    """Delete everything from the message of the open call on, with what is linked to it."""
    context, columns, draft = task.context, task.context.columns, task.draft
    first = task.records_of_message(task.hit.tool)[0]
    path = list(context.pairing.path)
    for record in path[path.index(first) :]:
        if record in draft.pending.deleted:
            continue
        if columns.marks[record] & RecordMark.UNREADABLE:
            _remove_unreadable(task, record)
            continue
        for view, row in zip(context.format.view(draft.raw(record)).blocks, columns.block_rows(record), strict=False):
            kind = _KINDS.get(BlockKind(columns.block_kinds[row]), "text")
            text = f"{view.name} {view.text}".strip() if kind == "call" else view.text
            if text.strip():
                draft.losses.append(Loss(kind, text, _HISTORY_CUT, draft.original_record(record)))
        draft.delete(record)
        draft.add_reason(record, task.finding, _HISTORY_CUT)


def prepend_user_message(task: StrategyTask) -> None:
    context = task.context
    first = task.draft.format.insertion_start(context.columns, task.hit.record)
    raw = task.draft.format.user_record(
        task.draft.raw(first), _FIRST_USER_TEXT, task.draft.new_id_seed(context.session.id, task.finding)
    )
    task.draft.add_before(first, raw, task.reason(tr("the provider requires a user message at the beginning")))


def move_first_system_after_user(task: StrategyTask) -> None:
    """Move a system message at the beginning behind all that comes before the assistant's first message."""
    path, roles, record = task.context.thread.path, task.context.columns.roles, task.hit.record
    rest = path[path.index(record) :]
    answered = next((at for at, other in enumerate(rest) if roles[other] == Role.ASSISTANT), len(rest))
    task.draft.move(record, rest[answered - 1], None, None)
    task.draft.add_reason(record, task.finding, tr("moved after the user message"))


def move_system_after_user(task: StrategyTask) -> None:
    """Move a system message behind the next messages of the user, right before what comes after them."""
    path, roles, record = task.context.thread.path, task.context.columns.roles, task.hit.record
    rest = [other for other in path[path.index(record) + 1 :] if roles[other] in (Role.USER, Role.ASSISTANT)]
    first = next(at for at, other in enumerate(rest) if roles[other] == Role.USER)
    last = next((at for at in range(first, len(rest)) if roles[rest[at]] == Role.ASSISTANT), len(rest))
    task.draft.move(record, rest[last - 1], None, None)
    task.draft.add_reason(record, task.finding, tr("moved after the user message"))


def change_role_to_user(task: StrategyTask) -> None:
    """Let the user say a message of the system. A first message of the developer becomes one of the system."""
    draft, record = task.draft, task.hit.record
    is_first = task.hit.case == "developer" and record == task.context.thread.path[0]
    role, what = (b'"system"', tr("changed to a system message")) if is_first else (b'"user"', _USER_MESSAGE)
    draft.replace(record, json_edits.set_member(draft.raw(record), "", "role", role))
    draft.add_reason(record, task.finding, what, "/role")


def move_texts_before_calls(task: StrategyTask) -> None:
    """Move the texts of a message before its first call. Other blocks among the calls stay where they are."""
    context, record = task.context, task.hit.record
    kinds = [context.columns.block_kinds[row] for row in context.columns.block_rows(record)]
    first = kinds.index(BlockKind.CALL)
    for ordinal, kind in enumerate(kinds):
        if ordinal > first and kind == BlockKind.TEXT and ordinal not in task.dropped_in(record):
            task.move_block(record, ordinal, first, tr("moved before the calls"))


def insert_alternating_message(task: StrategyTask) -> None:
    """Insert a note of the user before an answer, or an answer before a message of the user."""
    context, draft, record = task.context, task.draft, task.hit.record
    if context.columns.roles[record] == Role.USER:
        raw = draft.format.assistant_record(_NO_ANSWER_TEXT)
    else:
        raw = draft.format.user_record(
            draft.raw(record), _NO_QUESTION_TEXT, draft.new_id_seed(context.session.id, task.finding)
        )
    draft.add_before(record, raw, task.reason(tr("user messages and answers must alternate")))


def remove_channel_markers(task: StrategyTask) -> None:
    """Remove the marks of the model's channels from a text, or the reasoning beside the content of a message."""
    draft, record, field = task.draft, task.hit.record, task.hit.case
    raw, original = draft.raw(record), draft.original_record(record)
    message = parse_json(raw)
    if field == "both":
        draft.losses.append(Loss("reasoning", message["thinking"], tr("not accepted by the chat template"), original))
        draft.replace(record, json_edits.remove_member(raw, "", "thinking"))
        draft.add_reason(record, task.finding, tr("the reasoning next to the content was removed"), "/thinking")
        return
    for pointer, text in reversed(_texts_at(message[field], f"/{field}")):
        clean = text
        for tag in CHANNEL_TAGS:
            clean = clean.replace(tag, "")
        if clean != text:
            draft.losses.append(Loss("text", text, tr("its channel markers were removed"), original))
            raw = json_edits.replace_value(raw, pointer, dump_json(clean))
    draft.replace(record, raw)
    draft.add_reason(record, task.finding, tr("its channel markers were removed"), f"/{field}")


def _texts_at(content: Any, pointer: str) -> list[tuple[str, str]]:
    """Return the texts in the content of a chat message, each with its pointer."""
    if isinstance(content, str):
        return [(pointer, content)]
    parts = enumerate(content if isinstance(content, list) else ())
    return [
        (f"{pointer}/{number}/text", text)
        for number, part in parts
        if isinstance(part, dict) and (text := string_in(part, "text"))
    ]


def replace_unsupported_parts(task: StrategyTask) -> None:
    """Replace the parts that a chat template does not know by texts that quote them."""
    draft, record = task.draft, task.hit.record
    raw, original = draft.raw(record), draft.original_record(record)
    for pointer, kind in reversed(unsupported_parts(task.context, parse_json(raw))):
        part, schema = value_at(parse_json(raw), pointer), task.context.format.block_schema
        value, reason = dump_json(part).decode(), tr("not recognized by the chat template")
        is_media = parse_media(part, schema) is not None
        lost = ("media", describe_media(part, schema)) if is_media else ("text", value)
        draft.losses.append(Loss(*lost, reason, original))
        note = f"[{kind} omitted: {value[:_QUOTED]}]"
        raw = json_edits.replace_value(raw, pointer, dump_json({"type": "text", "text": note}))
        draft.add_reason(record, task.finding, tr("replaced with text that quotes the original"), pointer)
    draft.replace(record, raw)


def insert_assistant_bridge(task: StrategyTask) -> None:
    raw = task.draft.format.assistant_record(_BRIDGE_TEXT)
    task.draft.add_before(
        task.hit.record, raw, task.reason(tr("the provider requires an assistant message before the user message"))
    )


def merge_messages(task: StrategyTask) -> None:
    """Append the blocks of a message to the earlier message of its role that it follows, and delete it.

    If that one was merged itself, the blocks go to the message that it was merged into.
    """
    context, columns, draft = task.context, task.context.columns, task.draft
    record, path = task.hit.record, context.pairing.path
    role, first = columns.roles[record], record
    side = (Role.ASSISTANT,) if role == Role.ASSISTANT else (Role.USER, Role.TOOL)
    for position in range(context.path_positions[record] - 1, -1, -1):
        earlier = path[position]
        if columns.roles[earlier] in side:
            first = task.placer.merged_into.get(earlier, earlier)
            if first not in draft.pending.deleted:
                break
        elif columns.roles[earlier] not in (Role.OPAQUE, Role.LINK, Role.SYSTEM):
            break
    for ordinal in range(columns.blocks[record]):
        block = context.format.block_bytes(columns, record, draft.raw(record), ordinal)
        draft.insert_block(first, columns.blocks[first], block)
    draft.add_reason(first, task.finding, tr("joined with the following messages of the same role"))
    task.placer.merged_into[record] = first
    draft.delete(record)
    draft.add_reason(record, task.finding, tr("joined with the message before it"))


def remove_item_id(task: StrategyTask) -> None:
    """Remove the id of an item."""
    draft, record = task.draft, task.hit.record
    draft.block_edits(record).drop_own_id = True
    where = f"{task.context.format.item_pointer(draft.raw(record))}/id"
    draft.add_reason(record, task.finding, tr("the item does not need an id"), where)


def add_call_to_tool_calls(task: StrategyTask) -> None:
    """Add a call among the blocks of a message to the message's list of calls."""
    draft, hit = task.draft, task.hit
    draft.block_edits(hit.record).add_to_listing.add(hit.ordinal)
    task.add_reason(hit.record, hit.ordinal, tr("added to the list that the agent reads"))


def drop_empty_message(task: StrategyTask) -> None:
    draft, record = task.draft, task.hit.record
    raw = draft.raw(record)
    if any(texts_in_record(parse_json(raw), "content")):
        _quarantine_bytes(task, record, raw, tr("the text is in the wrong field, so it is kept in a separate file"))
    draft.delete(record)
    draft.add_reason(record, task.finding, tr("the message has no content"))


def drop_empty_call_list(task: StrategyTask) -> None:
    task.draft.block_edits(task.hit.record).no_empty_calls = True
    task.draft.add_reason(
        task.hit.record, task.finding, tr("the provider rejects an empty list of calls"), "/tool_calls"
    )


def drop_blank_text(task: StrategyTask) -> None:
    """Drop a blank text, and the reasoning of its turn if nothing else is left there."""
    draft, hit, columns = task.draft, task.hit, task.context.columns
    draft.block_edits(hit.record).drop.add(hit.ordinal)
    task.add_reason(hit.record, hit.ordinal, tr("the text is blank"))
    turn = task.records_of_turn(hit.record)
    dropped = {(record, ordinal) for record in turn for ordinal in task.dropped_in(record)}
    blocks = [(record, ordinal) for record in turn for ordinal in range(columns.blocks[record])]
    rest = [place for place in blocks if place not in dropped]
    if all(
        columns.block_kinds[columns.first_block[record] + ordinal] == BlockKind.THINKING for record, ordinal in rest
    ):
        task.drop_reasoning_in(turn, tr("the message contains nothing else"))


def normalise_input(task: StrategyTask) -> None:
    context = task.context
    record, ordinal = context.tool_location(task.hit.tool)
    call = parse_json(context.format.block_bytes(context.columns, record, task.draft.raw(record), ordinal))
    task.draft.block_edits(record).inputs[ordinal] = coerce_call_input(call, context.format.block_schema)
    task.add_reason(record, ordinal, tr("the input was changed to an object"))


def wrap_arguments(task: StrategyTask) -> None:
    """Put arguments that are no object into a text that holds one."""
    context = task.context
    record, ordinal = context.tool_location(task.hit.tool)
    call = parse_json(context.format.block_bytes(context.columns, record, task.draft.raw(record), ordinal))
    wrapped = dump_json(coerce_to_json_object(value_at(call, "/function/arguments")))
    task.draft.block_edits(record).inputs[ordinal] = dump_json(wrapped.decode())
    task.add_reason(record, ordinal, tr("the input was changed to an object"))


def normalise_call(task: StrategyTask) -> None:
    """Write a call that lacks required members as the provider accepts it."""
    context = task.context
    record, ordinal = context.tool_location(task.hit.tool)
    block = context.format.block_bytes(context.columns, record, task.draft.raw(record), ordinal)
    task.draft.block_edits(record).replace[ordinal] = task.draft.format.with_required_members(block)
    task.add_reason(record, ordinal, tr("changed to a call that the provider accepts"))


def normalise_tool_name(task: StrategyTask) -> None:
    """Give a call, and the results that name their tool, a name that the provider accepts.

    Call and results get the same name, so that they stay a pair.
    """
    context, tool = task.context, task.hit.tool
    old = context.columns.names[context.pairing.block_rows[tool]] or ""
    new = _legal_name(old) if old == task.hit.value else old  # else only the result has no name
    if old.strip() and new != old:
        task.report_loss("name", old, tr("changed to {new}, because the old value is not allowed", new=new), tool)
    for place in (tool, *context.results_by_call.get(tool, ())):
        if context.columns.names[context.pairing.block_rows[place]] == new:
            continue
        record, ordinal = context.tool_location(place)
        task.draft.block_edits(record).names[ordinal] = new
        task.add_reason(record, ordinal, tr("the tool was renamed to {new}", new=new))


def name_response_as_call(task: StrategyTask) -> None:
    """Give a response the name of the call that it answers."""
    context, tool = task.context, task.hit.tool
    names, rows = context.columns.names, context.pairing.block_rows
    old, new = names[rows[tool]] or "", names[rows[context.pairing.counterparts[tool]]] or ""
    record, ordinal = context.tool_location(tool)
    task.report_loss("name", old, tr("its call was renamed to {new}", new=new), tool)
    task.draft.block_edits(record).names[ordinal] = new
    task.add_reason(record, ordinal, tr("tool name changed to {new}, to match the call", new=new))


def _legal_name(name: str) -> str:
    """Return a tool name that every provider accepts."""
    new = _ILLEGAL.sub("_", name)[:_LONGEST_NAME]
    return new if re.search("[a-zA-Z0-9]", new) else _FALLBACK_NAME


def fix_malformed_message(task: StrategyTask) -> None:
    """Replace the parts of a message that no provider accepts by texts or default values."""
    draft, record = task.draft, task.hit.record
    misfits, message = malformed_messages(task.context)[record], parse_json(draft.raw(record))
    draft.replace(record, fix_misfits(draft.raw(record), misfits))
    for misfit in misfits:
        if misfit.removed_member:
            change, place = tr("removed"), misfit.removed_member
            removed = value_at(message, place)
            if _may_hold_words(place.rpartition("/")[2], removed):
                text = removed if isinstance(removed, str) else dump_json(removed).decode("utf-8", "replace")
                draft.losses.append(Loss("text", text, misfit.reason, draft.original_record(record)))
        elif misfit.default_json:
            change, place = tr("set to {default_json}", default_json=misfit.default_json.decode()), misfit.pointer
        else:
            change, place = tr("replaced with text that quotes the original"), misfit.encoded_pointer
        draft.add_reason(record, task.finding, tr("{change} ({reason})", change=change, reason=misfit.reason), place)


def _may_hold_words(key: str, removed: Any) -> bool:
    """Return whether a removed member may hold words of the conversation, also as JSON in a text.

    A text of several words is left to the check for unreported losses, as it may be elsewhere in the history.
    """
    if isinstance(removed, str):
        is_word = len(removed.split()) == 1 and len(removed) <= LONGEST_WORD and not _NO_WORDS.search(key)
        return is_word or removed.lstrip()[:1] in ("{", "[")
    return isinstance(removed, dict | list)


def drop_trailing_reasoning(task: StrategyTask) -> None:
    """Drop the reasoning at the end of a message, and the message if nothing else is left in it."""
    columns, record = task.context.columns, task.hit.record
    for ordinal in range(columns.blocks[record] - 1, -1, -1):
        if columns.block_kinds[columns.first_block[record] + ordinal] != BlockKind.THINKING:
            break
        task.drop_block_with_loss("reasoning", record, ordinal, tr("no answer follows the reasoning"))


def quarantine_message(task: StrategyTask) -> None:
    record = task.hit.record
    _quarantine_bytes(
        task, record, task.draft.raw(record), tr("no provider accepts this content, so it is kept in a separate file")
    )
    task.draft.delete(record)
    task.draft.add_reason(record, task.finding, tr("kept in a separate file"))


def quarantine_damaged_record(task: StrategyTask) -> None:
    damage = _damage(task)
    for record in range(damage.first, damage.last + 1):
        _remove_unreadable(task, record)


def salvage_damaged_record(task: StrategyTask) -> None:
    damage = _damage(task)
    if damage.salvaged is None or _holds_broken_conversation(task, damage):
        quarantine_damaged_record(task)
    else:
        _write_salvaged(task, damage)


def replace_invalid_characters(task: StrategyTask) -> None:
    damage = _damage(task)
    if damage.salvaged is None:
        quarantine_damaged_record(task)
    else:
        _write_salvaged(task, damage)


def _write_salvaged(task: StrategyTask, damage: Damage) -> None:
    if damage.kind in ENCODING_DAMAGE:
        change = tr("damaged characters were replaced with U+FFFD")
        task.draft.losses.append(
            Loss("text", change, tr("these characters could not be read"), task.draft.original_record(damage.first))
        )
    first, *others = damage.records
    task.draft.replace(damage.first, first)
    task.draft.add_reason(damage.first, task.finding, tr("the readable part was kept"))
    for raw in others:
        # It keeps its link as written, because it is not a new record.
        task.draft.add(
            damage.first, raw, None, None, task.reason(tr("the record was on the same line as another record"))
        )
    if damage.leftover_bytes.strip(b"\0 \t\r\n"):
        _quarantine_damaged_bytes(task, damage.first, damage.leftover_bytes)
    for record in range(damage.first + 1, damage.last + 1):
        task.draft.delete(record)
        task.draft.add_reason(record, task.finding, tr("joined with the line before it"))


def _remove_unreadable(task: StrategyTask, record: int) -> None:
    """Delete a damaged record, and keep its bytes next to the output."""
    _quarantine_damaged_bytes(task, record, task.draft.raw(record))
    task.draft.delete(record)
    task.draft.add_reason(record, task.finding, tr("kept in a separate file"))


def _holds_broken_conversation(task: StrategyTask, damage: Damage) -> bool:
    """Return whether the salvaged line is one of several conversations and is broken itself.

    The plan knows such a line as one record, not by its messages. If it were written, it would be found broken.
    """
    log, format = task.draft.log, task.draft.format
    if len(log.sequences) < 2 or not any(sequence.array_start is not None for sequence in log.sequences):
        return False
    return any(_is_broken(format, raw, log.source.path) for raw in damage.records)


def _is_broken(format: Format, raw: bytes, path: str) -> bool:
    try:
        report = check(format.index(Source.of_bytes(raw, path), ReadOptions()), include_side_threads=False)
    except UnreadableLog:
        return False
    return report.verdict == Verdict.BROKEN


def _damage(task: StrategyTask) -> Damage:
    return _damage_by_first_record(task.context)[task.hit.record]


@cached_on_thread
def _damage_by_first_record(context: ThreadContext) -> dict[int, Damage]:
    return {damage.first: damage for damage in damaged_places(context)}


def _quarantine_damaged_bytes(task: StrategyTask, record: int, text: bytes) -> None:
    # Damaged characters do not make it invalid JSON: only some readers refuse them.
    is_json = javascript_can_parse(text)
    why = (
        tr("unreadable, so it is kept in a separate file")
        if is_json
        else tr("not valid JSON, so it is kept in a separate file")
    )
    _quarantine_bytes(task, record, text, why)


def _quarantine_bytes(task: StrategyTask, record: int, text: bytes, why: str) -> None:
    if not text.strip():
        return
    task.draft.quarantine_bytes(record, text)
    shown = text.decode("utf-8", "backslashreplace")
    task.draft.losses.append(Loss("bytes", shown, why, task.draft.original_record(record)))


def strip_reasoning_block(task: StrategyTask) -> None:
    task.drop_reasoning_in([task.hit.record], tr("the reasoning is no longer valid in this position"), task.hit.ordinal)


def strip_message_reasoning(task: StrategyTask) -> None:
    """Drop all reasoning of a message, which must be complete or absent."""
    task.drop_reasoning_in(
        task.records_at(task.context.path_positions[task.hit.record]),
        tr("the reasoning in a message can only be removed as a whole"),
    )


def strip_turn_reasoning(task: StrategyTask) -> None:
    """Drop all reasoning of a turn, which must be complete or absent."""
    task.drop_reasoning_in(
        task.records_of_turn(task.hit.record), tr("the reasoning in a turn can only be removed as a whole")
    )


def remove_reasoning_item_text(task: StrategyTask) -> None:
    """Remove the text of a reasoning item that the provider knows by its encrypted content."""
    draft, record = task.draft, task.hit.record
    raw = draft.raw(record)
    pointer = task.context.format.item_pointer(raw)
    text = result_text(value_at(parse_json(raw), f"{pointer}/content"))
    draft.losses.append(Loss("reasoning", text, tr("not accepted by the provider"), draft.original_record(record)))
    draft.replace(record, json_edits.remove_member(raw, pointer, "content"))
    draft.add_reason(record, task.finding, tr("the text of the reasoning was removed"), f"{pointer}/content")


def keep_first_duplicate_reasoning(task: StrategyTask) -> None:
    """Drop the later of two reasoning items with the same id. Its text is a loss unless both are the same."""
    record = task.hit.record
    if task.draft.raw(record) != task.draft.raw(repeated_reasoning_ids(task.context)[record]):
        task.drop_block_with_loss("reasoning", record, 0, _ONE_ID)
    else:
        task.draft.delete(record)
        task.draft.add_reason(record, task.finding, _ONE_ID)


def keep_newest_duplicate_reasoning(task: StrategyTask) -> None:
    """Put the newest of the reasoning items with the same id in the place of the first, and drop the others."""
    first_by_record = repeated_reasoning_ids(task.context)
    record, first = task.hit.record, first_by_record[task.hit.record]
    if max(repeated for repeated, known in first_by_record.items() if known == first) != record:
        keep_first_duplicate_reasoning(task)
        return
    draft, raw = task.draft, task.draft.raw(record)
    if raw != draft.raw(first):
        view = task.context.block_view(first, 0)
        draft.losses.append(Loss("reasoning", view.text if view else "", _ONE_ID, draft.original_record(first)))
        draft.replace(first, raw)
        draft.add_reason(first, task.finding, tr("replaced with the newest item that has this id"))
    draft.delete(record)
    draft.add_reason(record, task.finding, tr("moved to the position of the first item with this id"))


def drop_server_tool_block(task: StrategyTask) -> None:
    """Drop a call or a result of the provider's own tool, and the reasoning that is signed together with it."""
    context, hit = task.context, task.hit
    row = context.columns.first_block[hit.record] + hit.ordinal
    kind = "call" if context.columns.block_kinds[row] == BlockKind.SERVER_CALL else "result"
    task.drop_block_with_loss(kind, hit.record, hit.ordinal, tr("the matching call or result is not in the same turn"))
    task.drop_reasoning_in(task.records_of_turn(hit.record), tr("the reasoning depends on a message that was changed"))


def remove_reasoning_binding_id(task: StrategyTask) -> None:
    """Remove the id of an item by which the provider looks up its reasoning."""
    task.draft.block_edits(task.hit.record).drop_binding_id = True
    task.draft.add_reason(task.hit.record, task.finding, REMOVED_BINDING_ID_REASON, "/id")


def add_placeholder_signature(task: StrategyTask) -> None:
    """Give a call the placeholder that its provider documents for a lost signature."""
    context, draft, hit = task.context, task.draft, task.hit
    block = context.format.block_bytes(context.columns, hit.record, draft.raw(hit.record), hit.ordinal)
    draft.block_edits(hit.record).replace[hit.ordinal] = draft.format.with_signature(block)
    text = tr("the provider's documented value for a missing signature")
    task.add_reason(hit.record, hit.ordinal, text)


def replace_tool_references(task: StrategyTask) -> None:
    """Replace the references of a result to a tool that is not offered by a text that names it."""
    context, draft = task.context, task.draft
    record, ordinal = task.hit.record, task.hit.ordinal
    block = context.format.block_bytes(context.columns, record, draft.raw(record), ordinal)
    make_text = context.format.block_schema.text
    assert make_text is not None, "a result with references is a list of blocks"
    for pointer in reversed(refused_references(context)[record, ordinal]):
        name = referenced_tool(value_at(parse_json(block), pointer))
        text = dump_json(make_text(REPLACED_REFERENCE.format(name=name)))
        block = json_edits.replace_value(block, pointer, text)
        draft.losses.append(Loss("name", name, tr("the tool is not available"), draft.original_record(record)))
    draft.block_edits(record).replace[ordinal] = block
    task.add_reason(record, ordinal, tr("replaced with text that contains the name of the tool"))


def replace_media(task: StrategyTask) -> None:
    """Replace every refused image or document of a block by a text."""
    context, draft = task.context, task.draft
    record, ordinal = task.hit.record, task.hit.ordinal
    block = context.format.block_bytes(context.columns, record, draft.raw(record), ordinal)
    make_text = context.format.block_schema.text
    assert make_text is not None, "no rule offers it where blocks stand alone"
    for medium in reversed(refused_media(context)[record, ordinal].media):
        block = json_edits.replace_value(block, medium.pointer, dump_json(make_text(_omission_note(medium))))
        lost = Loss("media", medium.description, tr("not accepted by the provider"), draft.original_record(record))
        draft.losses.append(lost)
    draft.block_edits(record).replace[ordinal] = block
    task.add_reason(record, ordinal, tr("replaced with text that quotes the original"))


def correct_media_type(task: StrategyTask) -> None:
    """Write the media type that the data of refused media show."""
    context, draft = task.context, task.draft
    record, ordinal = task.hit.record, task.hit.ordinal
    block = context.format.block_bytes(context.columns, record, draft.raw(record), ordinal)
    for medium in refused_media(context)[record, ordinal].media:
        block = json_edits.replace_value(block, f"{medium.pointer}/source/media_type", dump_json(medium.detected_type))
    draft.block_edits(record).replace[ordinal] = block
    task.add_reason(record, ordinal, tr("media type changed to match the data"))


def _omission_note(medium: MeasuredMedia) -> str:
    return f"[{'image' if medium.is_image else 'document'} omitted: {medium.description}]"
