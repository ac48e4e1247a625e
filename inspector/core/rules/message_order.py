"""Rules about the order of messages, and of the blocks in a message."""

import re
from collections.abc import Iterator
from itertools import groupby

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.unmatched_results import tool_label
from inspector.core.formats.base.writer import Writer
from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule
from inspector.core.storage.json_text import parse_json, value_at
from inspector.core.translation import tr

_CALL, _TEXT = int(BlockKind.CALL), int(BlockKind.TEXT)
_BEHIND = bytes((_CALL, _TEXT))
_TURNED = ("normalise", "leave")
_PREPENDED, _MOVED = ("prepend-user", "leave"), ("move", "leave")
_SYSTEM_FIRST = tr("The history begins with a system message.")
_NOT_SENT = (Role.OPAQUE, Role.LINK)
_BEFORE_SYSTEM = (Role.USER, Role.TOOL)


@rule("M1", "fragmented-message", None, ("leave",), preconditions=())
def harmless_message_fragments(context: ThreadContext) -> Hits:
    """One message is split across several records.

    What it finds: nothing that is wrong. Agents often write a message block by block, and the fragments are read as one
    message.
    Why it matters: this is harmless. But programs that match calls and results line by line wrongly report such pairs
    as broken.
    Example:
      message m1  text
      message m1  calls Read
      result      of Read
      message m1  calls Bash
      result      of Bash
    Repairs: none needed.
    """
    return iter(())


@rule(
    "M2",
    "consecutive-assistants",
    RepairStage.SPEAKERS,
    ("merge messages", "leave"),
    preconditions=("answers-as-they-stand",),
)
def consecutive_assistants(context: ThreadContext) -> Hits:
    """There are two assistant messages in a row.

    What it finds: an assistant message right after another one, if the API does not read them as one message. These
    APIs are Bedrock, and Gemini if the later message contains a call. Other APIs and agents write such messages, and
    read them as one message.
    Why it matters: these APIs require alternating roles, or a call that follows a user message.
    Example:
      user       fix it
      assistant  I will read the file.
      assistant  calls Read
      result     of Read
    Repairs: merge (joins the messages; nothing is lost).
    """
    if not context.sends_answers_as_they_stand or "M2" not in context.profile.refusals:
        return
    for record in context.records_after_same_speaker(Role.ASSISTANT):
        kinds = {context.columns.block_kinds[row] for row in context.columns.block_rows(record)}
        if context.profile.requires_alternation or BlockKind.CALL in kinds:
            yield RuleMatch(
                rule="M2", message=tr("This assistant message follows another assistant message."), record=record
            )


@rule(
    "M3", "consecutive-users", RepairStage.SPEAKERS, ("merge messages", "leave"), preconditions=("users-as-they-stand",)
)
def consecutive_users(context: ThreadContext) -> Hits:
    """There are two user messages in a row.

    What it finds: a user message right after another one, if the API requires alternating roles (Bedrock). Other APIs
    and agents write such messages, and read them as one message. For an agent that itself stops at two user messages in
    a row, this includes a user message at the end of the history, because the next prompt follows it.
    Why it matters: "A conversation must alternate between user and assistant roles."
    Example:
      user  hi
      user  are you there?
    Repairs: merge (joins the messages; nothing is lost).
    """
    if not (context.sends_users_as_they_stand and context.profile.requires_alternation):
        return
    for record in context.records_after_same_speaker(Role.USER, Role.TOOL):
        yield RuleMatch(rule="M3", message=tr("This user message follows another user message."), record=record)
    if not context.format.stops_at_repeated_speakers or context.thread is not context.session.main_thread:
        return
    roles, path = context.columns.roles, context.pairing.path
    last = next((record for record in reversed(path) if roles[record] not in _NOT_SENT), -1)
    if last >= 0 and roles[last] in _BEFORE_SYSTEM:
        text = tr("This user message has no answer, so the next prompt would follow another user message.")
        yield RuleMatch(rule="M3", message=text, record=last)


@rule("M10", "user-after-result", RepairStage.SPEAKERS, ("bridge", "leave"), preconditions=("M10",), by_profile=True)
def user_after_result(context: ThreadContext) -> Hits:
    """A user message directly follows a tool result.

    What it finds: a user message after a result, without an assistant message between them, for a provider that
    requires one (Mistral). An interruption can cause such a history. Other providers accept it.
    Why it matters: "Unexpected role 'user' after role 'tool'".
    Example:
      assistant  calls Read
      result     of Read
      user       stop
    Repairs: bridge (adds a short assistant message between them, which says that no answer was recorded).
    """
    if "M10" not in context.profile.refusals:
        return
    columns, behind_result = context.columns, False
    for record in context.pairing.path:
        role = columns.roles[record]
        if role == Role.ASSISTANT:
            behind_result = False
        if role not in (Role.USER, Role.TOOL):
            continue
        for ordinal, row in enumerate(columns.block_rows(record)):
            if columns.block_kinds[row] == BlockKind.RESULT:
                behind_result = True
            elif behind_result:
                behind_result = False
                own = ordinal == 0 and isinstance(context.format, Writer) and bool(context.format.assistant_record(""))
                text = tr("This user message directly follows a result, with no assistant message in between.")
                strategies, default = (
                    (user_after_result.strategies, user_after_result.strategy) if own else (("leave",), "leave")
                )
                yield RuleMatch(rule="M10", message=text, record=record, strategies=strategies, default=default)
                break


@rule(
    "M11",
    "text-after-call",
    RepairStage.SPEAKERS,
    ("reorder", "leave"),
    preconditions=("text-after-call",),
    default="leave",
)
def text_after_call(context: ThreadContext) -> Hits:
    """Text follows a call in the same message.

    What it finds: a call to a client tool, followed by assistant text in the same message. Calls to the provider's own
    tools have their results in the same message, so text after these calls is normal.
    Why it matters: some of Anthropic's models and some gateways no longer treat the results as directly following the
    call, and answer "`tool_use` ids were found without `tool_result` blocks immediately after". Others accept such a
    message. Therefore, it is only reported as info, and it is found if you paste such an error.
    Example:
      assistant  calls Read, then "Meanwhile."
      result     of Read
    Repairs: reorder (moves the texts of the message to before its calls; nothing is lost; not available if the agent
    stores the message in fragments).

    Sources: BerriAI/litellm#22947, can1357/oh-my-pi#544, vercel/ai#13013.
    """
    if "M11" not in context.profile.disputed_rules or not (
        isinstance(context.format, Writer) and context.format.can_reorder_blocks
    ):
        return
    columns, path, told = context.columns, context.thread.path, -1
    if not path:
        return
    first, last = _message(columns, min(path)).start, _message(columns, max(path)).stop
    start, stop = columns.first_block[first], columns.first_block[last]
    row = columns.block_kinds.find(_BEHIND, start, stop)
    while row >= 0:
        record = columns.record_of_block(row)
        records = _message(columns, record)
        if record > told and columns.record_of_block(row + 1) in records:
            yield from _in_message(context, records)
            told = records[-1]
        row = columns.block_kinds.find(_BEHIND, row + 1, stop)


def _message(columns: Columns, record: int) -> range:
    """Return the records that hold a message: adjacent fragments with one id."""
    low, high, group = record, record + 1, columns.groups[record]
    while group is not None and low and columns.groups[low - 1] == group:
        low -= 1
    while group is not None and high < len(columns) and columns.groups[high] == group:
        high += 1
    return range(low, high)


def _in_message(context: ThreadContext, records: range) -> Hits:
    columns = context.columns
    kinds, flags = columns.block_kinds, columns.block_flags
    sent = [each for each in records if context.path_positions.get(each) >= 0 and columns.roles[each] == Role.ASSISTANT]
    rows = [row for record in sent for row in columns.block_rows(record)]
    texts = [row for row in rows if kinds[row] == _TEXT and not flags[row] & BlockFlag.BLANK]
    # Fragments stay in the order in which they came.
    strategies = text_after_call.strategies if len(sent) == 1 else ("leave",)
    for row in rows:
        if kinds[row] == _CALL and texts and row < texts[-1]:
            tool = context.tool_by_block_row[row]
            text = tr(
                "In this message, text follows the call to {tool_label}. Some models reject such messages.",
                tool_label=tool_label(context, tool),
            )
            yield context.match_at_tool("M11", tool, text, severity=Severity.INFO, strategies=strategies)


@rule(
    "M4",
    "first-turn-not-user",
    RepairStage.FIRST_SPEAKER,
    ("prepend-user", "move first-system", "leave"),
    preconditions=("not-the-user-first",),
    in_request=True,
)
def first_turn_not_user(context: ThreadContext) -> Hits:
    """The history does not begin with a user message.

    What it finds: a first message that is not a user message. In formats that never contain the first prompt, it is
    only reported as info.
    Why it matters: Anthropic, Bedrock and Gemini require that the history begins with a user message. In Anthropic and
    Bedrock messages, a system message must also come after it. Mistral accepts an answer at the beginning, but not a
    call, because it does not match results to a call that has no message before it.
    Example:
      assistant  ok
      user       a question
    Repairs: prepend-user (adds a short note as a user message; the default repairs do this only if the history cannot
    be verified without it), move (moves a system message to after the user message).
    """
    if context.pairing.first_role == Role.USER:
        yield from _system_before_user(context)
    if context.pairing.first_role in (Role.USER, Role.TOOL):
        return
    columns, sent = context.columns, [r for r in context.thread.path if context.columns.roles[r] not in _NOT_SENT]
    speaks = (Role.ASSISTANT, Role.SYSTEM) if _takes_systems(context) else (Role.ASSISTANT,)
    record = next((r for r in sent if columns.roles[r] in speaks), -1)
    if record < 0:
        return  # Nobody has spoken.
    if any(not link.first for link in context.thread.damaged_links):
        return  # What precedes it is only cut off: the break in the chain is the finding.
    if context.session.stops_before_tool_calls and max(context.pairing.turns) == 0:
        return  # A provider's answer alone: what it answers was sent to it.
    severity = Severity.INFO if context.format.prompt_outside_log else None
    calls = any(columns.block_kinds[row] == BlockKind.CALL for row in columns.block_rows(record))
    text = (
        _SYSTEM_FIRST if columns.roles[record] == Role.SYSTEM else tr("The history begins with an assistant message.")
    )
    case = "call" * (calls and record == sent[0])
    yield RuleMatch(rule="M4", message=text, record=record, severity=severity, case=case, strategies=_PREPENDED)


def _takes_systems(context: ThreadContext) -> bool:
    """Return whether messages of the system are sent unchanged among the others, after the user's."""
    return context.is_sent_unchanged and context.profile.requires_user_first


def _system_before_user(context: ThreadContext) -> Hits:
    roles = context.columns.roles
    first = next(record for record in context.thread.path if roles[record] not in _NOT_SENT)
    if roles[first] == Role.SYSTEM and _takes_systems(context):
        yield RuleMatch(rule="M4", message=_SYSTEM_FIRST, record=first, strategies=_MOVED, default=_MOVED[0])


@rule(
    "M13",
    "misplaced-system",
    RepairStage.SPEAKERS,
    ("move after-user", "normalise role", "leave"),
    preconditions=("as-it-stands",),
)
def misplaced_system(context: ThreadContext) -> Hits:
    """A system message is in a position where the API does not accept one.

    What it finds: in Anthropic messages, a system message that does not follow a user message (or an answer that ends
    with the result of a server tool), or that is followed by anything but an answer. In a request for a model older
    than Claude Opus 4.8, the rule finds any system message. (A system message at the very beginning is reported as M4.)
    Claude Code creates such messages only when it sends a request. Lines of type system in its logs are notes.
    Why it matters: "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool
    result", "role 'system' must precede an 'assistant' message or end the array", or "role 'system' is not supported on
    this model". The chat templates of local servers (--profile) answer "System message must be at the beginning.", and
    some of them do not know the role developer.
    Example:
      user       fix it
      assistant  ok
      system     a reminder
      user       go on
    Repairs: move (moves it to after the next user message, right before the answer; nothing is lost), normalise (turns
    it into a user message, or turns a developer message at the beginning into a system message; this is the default if
    no user message follows, if the model accepts no system messages, and for chat templates).

    Sources: platform.claude.com, build-with-claude/mid-conversation-system-messages; anthropics/claude-code#73821;
    simonw/llm-anthropic#73 (models); lemonade-sdk/lemonade#2674 (chat template). Two system messages in a row are
    checked as one, because it is not known whether they are accepted.
    """
    if not context.is_sent_unchanged:
        return
    if context.profile.api:
        yield from _not_at_beginning(context)
    if "M13" not in context.profile.refusals:
        return
    leaving = {context.pairing.record_of(tool) for tool in context.pairing.in_wrong_role}
    old_models = context.profile.models_without_system_messages
    is_old_model = bool(old_models) and bool(re.search(old_models, context.session.model))
    for group, before, after in _system_groups(context):
        case, text = "", ""
        if before not in _BEFORE_SYSTEM:
            case, text = "after", tr("This system message does not follow a user message.")
        elif after not in (Role.ASSISTANT, -1):
            case, text = "before", tr("This system message comes directly before a user message.")
        elif is_old_model:
            case, text = (
                "model",
                tr(
                    "The request is for the model {model}, which does not accept system messages.",
                    model=context.session.model,
                ),
            )
        if not case:
            continue
        can_move = case != "model" and _has_user_behind(context, group[-1])
        default = "move" if can_move else "normalise"
        strategies = misplaced_system.strategies if can_move else misplaced_system.strategies[1:]
        for record in group:
            if record in leaving:
                continue  # What stands there under the wrong role comes out of it first.
            yield RuleMatch(rule="M13", message=text, record=record, case=case, strategies=strategies, default=default)


def _not_at_beginning(context: ThreadContext) -> Hits:
    """Yield the messages of the system that a chat template rejects: by their place, or by the name of their role."""
    refusals, first = context.profile.refusals, True
    for record in context.thread.path:
        if context.columns.roles[record] in _NOT_SENT:
            continue
        is_first, first = first, False
        if context.columns.roles[record] != Role.SYSTEM:
            continue
        is_developer = value_at(parse_json(context.raw(record)), "/role") == "developer"
        if is_developer and "M13 developer" in refusals:
            text, case = tr("The template does not support the developer role."), "developer"
        elif not is_first and "M13 not-first" in refusals:
            text, case = tr("A system message is not at the beginning."), "not-first"
        else:
            continue
        yield RuleMatch(rule="M13", message=text, record=record, case=case, strategies=_TURNED, default=_TURNED[0])


def _system_groups(context: ThreadContext) -> Iterator[tuple[list[int], int, int]]:
    """Yield the messages of the system in a row, behind the first message, with the roles before and after them.

    The role before them is TOOL for an answer that ends in the result of the provider's own tool. The role after them
    is -1 at the end.
    """
    columns = context.columns
    sent = [record for record in context.thread.path if columns.roles[record] not in _NOT_SENT]
    for role, run in groupby(enumerate(sent), lambda each: columns.roles[each[1]]):
        group = list(run)
        first, last = group[0][0], group[-1][0]
        if role != Role.SYSTEM or first == 0:
            continue
        rows = columns.block_rows(sent[first - 1])
        is_served = bool(rows) and columns.block_kinds[rows[-1]] == BlockKind.SERVER_RESULT
        before = Role.TOOL if is_served else columns.roles[sent[first - 1]]
        after = columns.roles[sent[last + 1]] if last + 1 < len(sent) else -1
        yield [record for _, record in group], before, after


def _has_user_behind(context: ThreadContext, record: int) -> bool:
    path, roles = context.thread.path, context.columns.roles
    return any(roles[path[at]] == Role.USER for at in range(context.path_positions[record] + 1, len(path)))


@rule("M5", "ends-with-assistant", None, ("leave",), preconditions=("no-prefill",), by_profile=True)
def ends_with_assistant(context: ThreadContext) -> Hits:
    """The history ends with an assistant message.

    What it finds: an assistant message at the end of the history, for a provider that does not accept the start of an
    answer (prefill). It is only reported as info, because the next user message will be added after it.
    Why it matters: if the history is sent as it is, the provider rejects it with "The conversation must end with a user
    message."
    Example:
      user       fix it
      assistant  ok
      (end of the log)
    Repairs: none, and answers that were cut off are kept. Add a user message before you send the history.
    """
    if context.profile.allows_prefill or context.session.stops_before_tool_calls:
        return
    record = context.last_message_record
    if record >= 0 and context.columns.roles[record] == Role.ASSISTANT:
        text = tr(
            "The history ends with an assistant message, but {label} requires a user message at the end.",
            label=context.profile.label,
        )
        yield RuleMatch(rule="M5", message=text, record=record, severity=Severity.INFO)
