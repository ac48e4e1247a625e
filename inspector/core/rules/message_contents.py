"""Rules about the content of a message: none, blank texts, reasoning alone, or a shape that is no message."""

from functools import cache, partial

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.refused_content import malformed_messages
from inspector.core.model.columns import RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import texts_in_record
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule
from inspector.core.storage.json_text import parse_json

_THINKING = int(BlockKind.THINKING)


@rule("M6", "blank-text", RepairStage.CONTENTS, ("normalise text", "leave"), preconditions=("blank",))
def blank_text(context: ThreadContext) -> Hits:
    """A text block without text.

    What it finds: a text block that is empty or holds white space only, beside other blocks. (A message with nothing else
    is class M7.)
    Why it hurts: Anthropic refuses it. Claude Code writes white-space fragments itself and drops them on load:
    those are only noted. One in a record with other blocks, and no fragment beside it, goes out (2.1.112, 2.1.330).
    Example: u | a""{A} | r(A=x)
    Repairs: normalise (the blank block goes; nothing is lost).
    """
    columns, pairing, is_dropped = context.columns, context.pairing, cache(partial(_is_dropped, context))
    for row, position in context.blank_blocks:
        record = pairing.path[position]
        if record in context.empty_messages:
            continue
        severity = None
        if context.format.merges_fragments and columns.roles[record] == Role.ASSISTANT and is_dropped(record):
            severity = Severity.INFO
        ordinal = row - columns.first_block[record]
        yield RuleMatch(rule="M6", message="A text block is blank.", record=record, ordinal=ordinal, severity=severity)


def _is_dropped(context: ThreadContext, record: int) -> bool:
    """Return whether the agent leaves out the blank texts of an answer, which are white space."""
    texts = [view.text for view in context.format.view(context.raw(record)).blocks if view.kind == BlockKind.TEXT]
    beside = context.format.drops_blank_records and context.columns.blocks[record] > len(texts)
    return all(texts) and (not beside or _is_fragment(context, record))


def _is_fragment(context: ThreadContext, record: int) -> bool:
    """Return whether another record of the path belongs to the same message."""
    groups, path = context.columns.groups, context.pairing.path
    return groups[record] is not None and sum(groups[each] == groups[record] for each in path) > 1


@rule("M7", "empty-message", RepairStage.CONTENTS, ("normalise empty", "leave"), preconditions=("blank",))
def empty_message(context: ThreadContext) -> Hits:
    """A message without content.

    What it finds: a message without any content, or with nothing but blank texts. (A blank text beside something else is
    class M6.)
    Why it hurts: Anthropic, Bedrock, Gemini and Mistral refuse it, OpenAI where it is null or a list of nothing. Claude
    Code writes fragments of white space itself and drops them on load: those are only noted, under M6.
    Example: u | a with content [] | u
    Repairs: normalise (the message goes; what else stands in it is kept beside the output).
    """
    for record in sorted(context.empty_messages - malformed_messages(context).keys()):
        case = context.format.missing_text(context.raw(record))
        severity = Severity.ERROR if case and f"M7 {case}" in context.profile.refusals else None
        elsewhere = any(texts_in_record(parse_json(context.raw(record))))
        text = "A message has words, but none where its content is read." if elsewhere else "A message has no content."
        yield RuleMatch(rule="M7", message=text, record=record, case=case, severity=severity)


@rule("M8", "thinking-only", RepairStage.CONTENTS, ("drop reasoning", "leave"), preconditions=("reasoning",))
def message_ending_in_reasoning(context: ThreadContext) -> Hits:
    """A message that ends in reasoning.

    What it finds: a last message of the assistant whose last block is thinking: the answer broke off before it said
    anything. Earlier messages of nothing but thinking are only noted, and so is the last one in the logs of agents that
    drop it themselves (of those earlier ones are not told).
    Why it hurts: "The final block in an assistant message cannot be `thinking`." Before a message of the user the same
    block is taken.
    Example: u | a[th], and nothing behind it
    Repairs: drop (the reasoning at the end goes, and with it the message when it holds nothing else), leave.
    """
    columns = context.columns
    if (
        context.format.one_item_per_record
        or not columns.has_kind_sequence(BlockKind.THINKING)
        or context.thread.is_side
    ):
        return
    last = context.last_message_record
    if last >= 0 and _ends_in_thinking(context, last):
        refused = "M8" in context.profile.refusals and not context.format.merges_fragments
        severity = None if refused else Severity.INFO
        ordinal = columns.blocks[last] - 1
        text = "The last message ends in reasoning: nothing was said after it."
        yield RuleMatch(rule="M8", message=text, record=last, ordinal=ordinal, severity=severity)
    for record in _nothing_else(context):
        if record != last:
            text = "This message holds nothing but reasoning."
            yield RuleMatch(rule="M8", message=text, record=record, severity=Severity.INFO)


def _ends_in_thinking(context: ThreadContext, record: int) -> bool:
    columns = context.columns
    rows = columns.block_rows(record)
    return columns.roles[record] == Role.ASSISTANT and bool(rows) and columns.block_kinds[rows[-1]] == _THINKING


def _nothing_else(context: ThreadContext) -> list[int]:
    """Return the messages of the path that hold only reasoning.

    Agents that write fragments drop such messages themselves.
    """
    columns, kinds, members = context.columns, context.columns.block_kinds, context.session.records
    if context.format.merges_fragments:
        return []
    records = dict.fromkeys(
        map(columns.record_of_block, columns.block_rows_of_kind(_THINKING, members.start, members.stop))
    )
    found = [record for record in records if all(kinds[row] == _THINKING for row in columns.block_rows(record))]
    return [record for record in found if record in context.path_positions]


@rule("M9", "empty-calls", RepairStage.CONTENTS, ("normalise calls", "leave"), preconditions=("empty-calls",))
def empty_call_list(context: ThreadContext) -> Hits:
    """An empty list of calls.

    What it finds: an assistant message with `"tool_calls": []`.
    Why it hurts: OpenAI refuses an empty list: the key must go.
    Example: a"ok" with tool_calls: []
    Repairs: normalise (the key goes; nothing is lost).
    """
    if not context.columns.has_mark(RecordMark.EMPTY_CALLS):
        return
    for record in context.thread.path:
        if context.columns.marks[record] & RecordMark.EMPTY_CALLS:
            yield RuleMatch(rule="M9", message="The list of calls is there, and empty.", record=record)


@rule(
    "M12",
    "misshapen-message",
    RepairStage.MESSAGE_SHAPES,
    ("normalise message", "quarantine message", "leave"),
    preconditions=("misshapen",),
)
def misshapen_message(context: ThreadContext) -> Hits:
    """A message with an invalid structure.

    What it finds: in the messages of an API, or of an agent that hands them on, what the API takes from nobody: a
    message without a role or with one that it does not know, content that is a number, a block that is a bare text, has no
    type or holds nothing, a result whose output is no text; in messages of Anthropic and OpenAI Chat also a block of a type
    that the API does not know. A member that this program does not know is not judged, nor such a type in an answer or in
    an agent's log, unless it is one of another API.
    Why it hurts: the request is refused before anything else in it is looked at, and so is every later one.
    Example: u | a with content ["ok"] | u
    Repairs: normalise (a text says in its place what stood there: texts as they are, anything else quoted as JSON),
    quarantine (the message goes, and is kept beside the output: where its role is not known, nobody can be said to have
    said it).
    """
    leaving = {context.pairing.record_of(tool) for tool in context.pairing.in_wrong_role}
    for record, found in malformed_messages(context).items():
        if record in leaving and [each.pointer for each in found] == ["/role"]:
            continue  # What stands there under the wrong role comes out of it first.
        first, more = found[0], f" (and {len(found) - 1} more in it)" if len(found) > 1 else ""
        text = f"No provider takes this message: at {first.pointer or 'its root'}, {first.reason}{more}."
        strategies = (
            misshapen_message.strategies
            if all(misfit.can_be_fixed for misfit in found)
            else misshapen_message.strategies[1:]
        )
        case = "role" if first.pointer == "/role" else first.case
        yield RuleMatch(
            rule="M12", message=text, record=record, case=case, strategies=strategies, default=strategies[0]
        )
