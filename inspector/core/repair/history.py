"""Strategies for the history as a whole and for damaged bytes."""

import re

from inspector.core.bytes.json_text import parse_json
from inspector.core.bytes.source import Source
from inspector.core.errors import UnreadableLog
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.reading import Reading
from inspector.core.index.columns import RecordMark, Role
from inspector.core.index.views import BlockKind
from inspector.core.judging.check import Verdict, check
from inspector.core.repair.edits import Loss
from inspector.core.repair.task import Task
from inspector.core.scene.damage import ENCODING_DAMAGE, Damage, damages
from inspector.core.scene.misshapen import malformed_messages
from inspector.core.wire.fields import texts_in_record
from inspector.core.wire.inputs import valid_call_input
from inspector.core.wire.shapes.shape import fix_misfits

_FIRST_USER_TEXT = "[The beginning of this conversation is not part of the log.]"
_BRIDGE_TEXT = "[No answer to this result was recorded.]"
_FALLBACK_NAME = "invalid_tool_call"  # as hermes calls it
_LONGEST_NAME = 64
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
_KINDS = {BlockKind.TEXT: "text", BlockKind.RESULT: "result", BlockKind.CALL: "call", BlockKind.THINKING: "reasoning"}


def cut_tail(task: Task) -> None:
    """Everything from the message of the open call on goes, with what hangs off it."""
    scene, columns, draft = task.scene, task.scene.columns, task.draft
    first = task.records_of_message(task.hit.tool)[0]
    path = list(scene.pairing.path)
    for record in path[path.index(first) :]:
        if record in draft.pending.deleted:
            continue
        if columns.marks[record] & RecordMark.UNREADABLE:
            _remove_unreadable(task, record)
            continue
        for view, row in zip(scene.format.view(draft.raw(record)).blocks, columns.block_rows(record), strict=False):
            kind = _KINDS.get(BlockKind(columns.block_kinds[row]), "text")
            text = f"{view.name} {view.text}".strip() if kind == "call" else view.text
            if text.strip():
                draft.losses.append(Loss(kind, text, "the tail was cut", draft.original_record(record)))
        draft.delete(record)
        draft.add_reason(record, task.finding, "the tail was cut")


def prepend_user_message(task: Task) -> None:
    scene = task.scene
    first = task.draft.format.insertion_start(scene.columns, task.hit.record)
    raw = task.draft.format.user_record(
        task.draft.raw(first), _FIRST_USER_TEXT, task.draft.new_id_seed(scene.session.id, task.finding)
    )
    task.draft.add_before(first, raw, task.reason("the provider wants the user first"))


def move_system_after_user(task: Task) -> None:
    """A message of the system behind the first of the user; what follows it there is the assistant's."""
    path, roles, record = task.scene.thread.path, task.scene.columns.roles, task.hit.record
    rest = path[path.index(record) :]
    answered = next((at for at, each in enumerate(rest) if roles[each] == Role.ASSISTANT), len(rest))
    task.draft.move(record, rest[answered - 1], None, None)
    task.draft.add_reason(record, task.finding, "moved behind the user's message")


def move_texts_before_calls(task: Task) -> None:
    """The texts of a message before its first call; what else stands among the calls stays there."""
    scene, record = task.scene, task.hit.record
    kinds = [scene.columns.block_kinds[row] for row in scene.columns.block_rows(record)]
    first = kinds.index(BlockKind.CALL)
    for ordinal, kind in enumerate(kinds):
        if ordinal > first and kind == BlockKind.TEXT and ordinal not in task.dropped_in(record):
            task.move_block(record, ordinal, first, "put before the calls")


def insert_bridge_message(task: Task) -> None:
    raw = task.draft.format.assistant_record(_BRIDGE_TEXT)
    task.draft.add_before(task.hit.record, raw, task.reason("the provider wants the assistant before the user"))


def merge_messages(task: Task) -> None:
    """The blocks of a message to the end of the one of its role that it follows, itself joined to none."""
    scene, columns, draft = task.scene, task.scene.columns, task.draft
    record, path = task.hit.record, scene.pairing.path
    role, first = columns.roles[record], record
    side = (Role.ASSISTANT,) if role == Role.ASSISTANT else (Role.USER, Role.TOOL)
    for position in range(scene.path_positions[record] - 1, -1, -1):
        earlier = path[position]
        if columns.roles[earlier] in side:
            first = task.placer.merged_into.get(earlier, earlier)
            if first not in draft.pending.deleted:
                break
        elif columns.roles[earlier] not in (Role.OPAQUE, Role.LINK, Role.SYSTEM):
            break
    for ordinal in range(columns.blocks[record]):
        block = scene.format.block_bytes(columns, record, draft.raw(record), ordinal)
        draft.insert_block(first, columns.blocks[first], block)
    draft.add_reason(first, task.finding, "joined by the messages of its role behind it")
    task.placer.merged_into[record] = first
    draft.delete(record)
    draft.add_reason(record, task.finding, "joined to the message before it")


def remove_item_id(task: Task) -> None:
    """An item goes without an id of its own."""
    draft, record = task.draft, task.hit.record
    draft.block_edits(record).drop_own_id = True
    where = f"{task.scene.format.item_pointer(draft.raw(record))}/id"
    draft.add_reason(record, task.finding, "the item's own id is not needed", where)


def add_to_call_list(task: Task) -> None:
    """A call among the blocks of a message stands in its list of calls as well."""
    draft, hit = task.draft, task.hit
    draft.block_edits(hit.record).add_to_listing.add(hit.ordinal)
    task.add_reason(hit.record, hit.ordinal, "listed where the agent reads it")


def drop_empty_message(task: Task) -> None:
    draft, record = task.draft, task.hit.record
    raw = draft.raw(record)
    if any(texts_in_record(parse_json(raw), "content")):
        _quarantine_bytes(task, record, raw, "its words are not where they belong; kept beside the output")
    draft.delete(record)
    draft.add_reason(record, task.finding, "a message without content says nothing")


def drop_empty_calls(task: Task) -> None:
    task.draft.block_edits(task.hit.record).no_empty_calls = True
    task.draft.add_reason(task.hit.record, task.finding, "an empty list of calls is refused", "/tool_calls")


def drop_blank_text(task: Task) -> None:
    """The blank text goes; with it the reasoning of a turn in which nothing else stands."""
    draft, hit, columns = task.draft, task.hit, task.scene.columns
    draft.block_edits(hit.record).drop.add(hit.ordinal)
    task.add_reason(hit.record, hit.ordinal, "a blank text says nothing")
    turn = task.records_of_turn(hit.record)
    dropped = {(record, ordinal) for record in turn for ordinal in task.dropped_in(record)}
    blocks = [(record, ordinal) for record in turn for ordinal in range(columns.blocks[record])]
    rest = [place for place in blocks if place not in dropped]
    if all(
        columns.block_kinds[columns.first_block[record] + ordinal] == BlockKind.THINKING for record, ordinal in rest
    ):
        task.drop_reasoning_in(turn, "nothing was said beside it")


def normalise_input(task: Task) -> None:
    scene = task.scene
    record, ordinal = scene.tool_location(task.hit.tool)
    call = parse_json(scene.format.block_bytes(scene.columns, record, task.draft.raw(record), ordinal))
    task.draft.block_edits(record).inputs[ordinal] = valid_call_input(call, scene.format.block_schema)
    task.add_reason(record, ordinal, "the input is an object now")


def normalise_call(task: Task) -> None:
    """A call that lacks what makes it one."""
    scene = task.scene
    record, ordinal = scene.tool_location(task.hit.tool)
    block = scene.format.block_bytes(scene.columns, record, task.draft.raw(record), ordinal)
    task.draft.block_edits(record).replace[ordinal] = task.draft.format.with_required_members(block)
    task.add_reason(record, ordinal, "written as the provider takes a call")


def normalise_name(task: Task) -> None:
    """A name that is taken, for the call and for results that name their tool; the pair stays one."""
    scene, tool = task.scene, task.hit.tool
    old = scene.columns.names[scene.pairing.block_rows[tool]] or ""
    new = _legal_name(old) if old == task.hit.value else old  # else the result alone has no name
    if old.strip() and new != old:
        task.report_loss("name", old, f"not legal: {new} stands in its place", tool)
    for each in (tool, *scene.results_by_call.get(tool, ())):
        if scene.columns.names[scene.pairing.block_rows[each]] == new:
            continue
        record, ordinal = scene.tool_location(each)
        task.draft.block_edits(record).names[ordinal] = new
        task.add_reason(record, ordinal, f"the tool is called {new} now")


def _legal_name(name: str) -> str:
    """One that every provider takes."""
    new = _ILLEGAL.sub("_", name)[:_LONGEST_NAME]
    return new if re.search("[a-zA-Z0-9]", new) else _FALLBACK_NAME


def normalise_message(task: Task) -> None:
    """Texts in the places of what no provider takes."""
    draft, record = task.draft, task.hit.record
    found = malformed_messages(task.scene)[record]
    draft.replace(record, fix_misfits(draft.raw(record), found))
    for misfit in found:
        said = (
            f"{misfit.default_json.decode()} stands there now"
            if misfit.default_json
            else "a text says what stood there"
        )
        draft.add_reason(
            record,
            task.finding,
            f"{said}: {misfit.reason}",
            misfit.pointer if misfit.default_json else misfit.encoded_pointer,
        )


def drop_last_reasoning(task: Task) -> None:
    """The reasoning that a message ends in; the message goes with it when it holds nothing else."""
    columns, record = task.scene.columns, task.hit.record
    for ordinal in range(columns.blocks[record] - 1, -1, -1):
        if columns.block_kinds[columns.first_block[record] + ordinal] != BlockKind.THINKING:
            break
        task.drop_block_with_loss("reasoning", record, ordinal, "nothing was said behind it")


def quarantine_message(task: Task) -> None:
    record = task.hit.record
    _quarantine_bytes(task, record, task.draft.raw(record), "no provider takes it; kept beside the output")
    task.draft.delete(record)
    task.draft.add_reason(record, task.finding, "kept beside the output")


def quarantine_record(task: Task) -> None:
    damage = _damage(task)
    for record in range(damage.first, damage.last + 1):
        _remove_unreadable(task, record)


def salvage_record(task: Task) -> None:
    damage = _damage(task)
    if damage.salvaged is None or _holds_broken_conversation(task, damage):
        quarantine_record(task)
    else:
        _write_salvaged(task, damage)


def normalise_characters(task: Task) -> None:
    damage = _damage(task)
    if damage.salvaged is None:
        quarantine_record(task)
    else:
        _write_salvaged(task, damage)


def _write_salvaged(task: Task, damage: Damage) -> None:
    if damage.kind in ENCODING_DAMAGE:
        what = "characters that were damaged became U+FFFD"
        task.draft.losses.append(Loss("text", what, "they could not be read", task.draft.original_record(damage.first)))
    first, *behind = damage.records
    task.draft.replace(damage.first, first)
    task.draft.add_reason(damage.first, task.finding, "what could be read of it was kept")
    for raw in behind:
        # Linked as it was written: it is no new record.
        task.draft.add(damage.first, raw, None, None, task.reason("stood on the line of another record"))
    if damage.leftover_bytes.strip(b"\0 \t\r\n"):
        _quarantine_bytes(task, damage.first, damage.leftover_bytes)
    for record in range(damage.first + 1, damage.last + 1):
        task.draft.delete(record)
        task.draft.add_reason(record, task.finding, "joined to the line before it")


def _remove_unreadable(task: Task, record: int) -> None:
    """A damaged record goes, its bytes are kept beside the output."""
    _quarantine_bytes(task, record, task.draft.raw(record))
    task.draft.delete(record)
    task.draft.add_reason(record, task.finding, "kept beside the output")


def _holds_broken_conversation(task: Task, damage: Damage) -> bool:
    """Whether the line, once it is read, is a conversation among others that is broken itself.

    The plan knows such a line as one record and not by its messages: written, it would be found broken.
    """
    log, format = task.draft.log, task.draft.format
    if len(log.sequences) < 2 or not any(each.array_start is not None for each in log.sequences):
        return False
    return any(_is_broken(format, raw, log.source.path) for raw in damage.records)


def _is_broken(format: Format, raw: bytes, path: str) -> bool:
    try:
        found = check(format.index(Source.of_bytes(raw, path), Reading()), include_side_threads=False)
    except UnreadableLog:
        return False
    return found.verdict == Verdict.BROKEN


def _damage(task: Task) -> Damage:
    return next(damage for damage in damages(task.scene) if damage.first == task.hit.record)


def _quarantine_bytes(task: Task, record: int, text: bytes, why: str = "unreadable; kept beside the output") -> None:
    if not text.strip():
        return
    task.draft.quarantine_bytes(record, text)
    shown = text.decode("utf-8", "backslashreplace")
    task.draft.losses.append(Loss("bytes", shown, why, task.draft.original_record(record)))
