"""Rules about the content of a message: none, blank texts, reasoning alone, or a shape that is no message."""

from functools import cache, partial

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.refused_content import malformed_messages
from inspector.core.model.columnar_index import RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import texts_in_record
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr, tr_plural

_THINKING = int(BlockKind.THINKING)


@rule("M6", "blank-text", RepairStage.CONTENTS, ("normalise text", "leave"), preconditions=("blank",))
def blank_text(context: ThreadContext) -> Hits:
    """A text block is blank.

    What it finds: a text block that is empty or contains only white space, next to other blocks. (A message with
    nothing else is reported as M7.)
    Why it matters: Anthropic rejects a blank text block. Claude Code writes fragments that contain only white space and
    drops them when it loads the log, so these are only reported as info. But if a record has other blocks and is the
    only fragment of its message, Claude Code sends its blank block, too (2.1.112, 2.1.330).
    Example:
      assistant  "" and a call to Read
      result     of Read
    Repairs: normalise (removes the blank block; nothing is lost).
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
        yield RuleMatch(
            rule="M6", message=tr("A text block has no text."), record=record, ordinal=ordinal, severity=severity
        )


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
    """A message has no content.

    What it finds: a message without any content, or with only blank texts. (A blank text next to other content is
    reported as M6.)
    Why it matters: Anthropic, Bedrock, Gemini and Mistral reject an empty message. OpenAI rejects it if the content is
    null or an empty list. Claude Code writes fragments that contain only white space and drops them when it loads the
    log, so these are only reported as info, under M6.
    Example:
      assistant  content []
    Repairs: normalise (removes the message, and keeps its other fields in a separate file).
    """
    for record in sorted(context.empty_messages - malformed_messages(context).keys()):
        case = context.format.missing_text(context.raw(record))
        severity = Severity.ERROR if case and f"M7 {case}" in context.profile.refusals else None
        elsewhere = any(texts_in_record(parse_json(context.raw(record))))
        text = (
            tr("The message has text, but not in the field that the provider reads.")
            if elsewhere
            else tr("The message has no content.")
        )
        yield RuleMatch(rule="M7", message=text, record=record, case=case, severity=severity)


@rule("M8", "thinking-only", RepairStage.CONTENTS, ("drop reasoning", "leave"), preconditions=("reasoning",))
def message_ending_in_reasoning(context: ThreadContext) -> Hits:
    """A message ends with reasoning.

    What it finds: a last assistant message whose last block is thinking, because the answer broke off before any text.
    Earlier messages that contain only thinking are reported as info. If the agent drops such messages itself, the last
    one is reported as info, and earlier ones are not reported.
    Why it matters: "The final block in an assistant message cannot be `thinking`." The provider accepts the same block
    if a user message follows it.
    Example:
      user       fix it
      assistant  thinking
      (end of the log)
    Repairs: drop (removes the reasoning at the end, and the message if it contains nothing else), leave.
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
        text = tr("The last message ends with reasoning that is not followed by an answer.")
        yield RuleMatch(rule="M8", message=text, record=last, ordinal=ordinal, severity=severity)
    for record in _nothing_else(context):
        if record != last:
            text = tr("This message contains only reasoning.")
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
    """A message has an empty list of calls.

    What it finds: an assistant message with `"tool_calls": []`.
    Why it matters: OpenAI rejects an empty list of calls, so the key must be removed.
    Example:
      assistant  "ok", tool_calls: []
    Repairs: normalise (removes the key; nothing is lost).
    """
    if not context.columns.has_mark(RecordMark.EMPTY_CALLS):
        return
    for record in context.thread.path:
        if context.columns.marks[record] & RecordMark.EMPTY_CALLS:
            yield RuleMatch(rule="M9", message=tr("The message has an empty list of calls."), record=record)


@rule(
    "M12",
    "misshapen-message",
    RepairStage.MESSAGE_SHAPES,
    ("normalise message", "quarantine message", "leave"),
    preconditions=("misshapen",),
)
def misshapen_message(context: ThreadContext) -> Hits:
    """A message has an invalid structure.

    What it finds: structures that no API accepts, in API messages or in logs of an agent that sends its messages
    unchanged. These are a message without a role or with an unknown role, content that is a number, a block that is a
    plain string, has no type or is empty, a result whose output is not text, and a block in which a member that its API
    requires is missing or a member has the wrong type. In Anthropic and OpenAI Chat messages, the rule also finds
    blocks of a type that the API does not know. The rule ignores fields that this program does not know, unknown block
    types in an assistant message or in an agent's log (unless they belong to another API), and the values of
    enumerations in blocks that the API itself writes (error codes, and the names of its own tools).
    Why it matters: the request is rejected before anything else in it is checked, and so is every later request.
    Example:
      assistant  content ["ok"]
    Repairs: normalise (replaces the invalid part with a text, in which texts stay as they are and anything else is
    quoted as JSON, and removes an invalid optional member), quarantine (moves the message to a separate file, because a
    message without a known role cannot be attributed to anyone).
    """
    leaving = {context.pairing.record_of(tool) for tool in context.pairing.in_wrong_role}
    for record, found in malformed_messages(context).items():
        if record in leaving and [each.pointer for each in found] == ["/role"]:
            continue  # What stands there under the wrong role comes out of it first.
        first = found[0]
        pointer = first.pointer or tr("the whole message")
        text = (
            tr("No provider accepts this message ({pointer}: {reason}).", pointer=pointer, reason=first.reason)
            if len(found) == 1
            else tr_plural(
                "No provider accepts this message ({pointer}: {reason}, and {number} more problem).",
                "No provider accepts this message ({pointer}: {reason}, and {number} more problems).",
                len(found) - 1,
                pointer=pointer,
                reason=first.reason,
            )
        )
        strategies = (
            misshapen_message.strategies
            if all(misfit.can_be_fixed for misfit in found)
            else misshapen_message.strategies[1:]
        )
        case = "role" if first.pointer.endswith("/role") else first.case
        yield RuleMatch(
            rule="M12", message=text, record=record, case=case, strategies=strategies, default=strategies[0]
        )
