"""Rules about reasoning: its signatures, its items, and what is bound to it."""

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.reasoning import (
    is_signed,
    newest_assistant_turn,
    reasoning_block_rows,
    reasoning_in_records,
    reasoning_items_with_content,
    reasoning_items_without_follower,
    refused_reasoning,
    repeated_reasoning_ids,
    signed_reasoning_at_or_after,
)
from inspector.core.analysis.unmatched_results import UnmatchedResultKind, tool_label, unmatched_results_of_kind
from inspector.core.model.columnar_index import BlockFlag, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.openai_responses.schema import are_of_one_response
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule
from inspector.core.storage.json_text import parse_json, value_at
from inspector.core.translation import tr

_ORPHANS = (UnmatchedResultKind.ORPHAN, UnmatchedResultKind.WRONG_ID)


@rule(
    "T1",
    "unsigned-reasoning",
    RepairStage.REASONING,
    ("strip-reasoning message", "leave"),
    preconditions=("reasoning",),
)
def unsigned_reasoning(context: ThreadContext) -> Hits:
    """Reasoning has no signature from the provider.

    What it finds: a thinking block without a signature in a log with signed ones, because a stream broke off or another
    model wrote the block. In a request for a model that signs its thinking, the rule finds any thinking block without a
    signature. It also finds a block whose signature the provider rejected in the last error of the log. If no reasoning
    in a log is signed, the provider does not sign it, and nothing is reported. Reasoning before a later answer of the
    provider is not reported either.
    Why it matters: Anthropic rejects the whole history, and does so on every retry. It answers "signature: Field
    required" if the signature is missing, and "Invalid `signature` in `thinking` block" if it is empty or from
    elsewhere.
    Example:
      (earlier reasoning is signed)
      assistant  thinking with signature "", then text
    Repairs: strip-reasoning (removes the reasoning from that message, or the whole message if it contains nothing else,
    and reports it as lost).

    Sources: ENTERPILOT/GoModel#964 (measured), pydantic/pydantic-ai#7597 (streams), MadAppGang/claudish#182 (models).
    """
    if "T1" not in context.profile.refusals:
        return
    refused_rule, places = refused_reasoning(context)
    refused = places[:1] if refused_rule == "T1" else []
    yield from (hit for hit in _unsigned(context) if (hit.record, hit.ordinal) not in refused)
    for record, ordinal in refused:
        text = tr("The provider rejected the signature of this reasoning. See the last error in the log.")
        yield _hit("T1", text, record, ordinal)


def _unsigned(context: ThreadContext) -> Hits:
    """Yield unsigned reasoning in a log in which reasoning is signed or must be."""
    asked, known = context.session.model, context.profile.models
    unsigned = [row for row in reasoning_block_rows(context) if not is_signed(context, row)]
    asks_signer = known in asked.lower() if asked and known else False
    if not unsigned or (len(unsigned) == len(reasoning_block_rows(context)) and not asks_signer):
        return
    columns, positions = context.columns, context.path_positions
    signed = (columns.record_of_block(row) for row in reasoning_block_rows(context) if is_signed(context, row))
    newest_signed = max((positions.get(record, -1) for record in signed), default=-1)
    told = set()
    for row in unsigned:
        record = columns.record_of_block(row)
        at = positions.get(record, -1)
        message = context.message_number(record)
        if at < 0 or message in told or (at < newest_signed and not context.format.is_provider_api):
            continue  # the provider went on from it: whoever sent it took it out, or it was no trouble
        told.add(message)
        model = context.format.view(context.raw(record)).model
        ordinal = row - columns.first_block[record]
        if model and known not in model.lower():
            text = tr(
                "This reasoning comes from {model} and has no signature, so {label} would reject it.",
                model=model,
                label=context.profile.label,
            )
            yield _hit("T1", text, record, ordinal, Severity.WARNING)
        elif asks_signer:
            yield _hit(
                "T1",
                tr("This reasoning has no signature, and the request is for {asked}, which requires one.", asked=asked),
                record,
                ordinal,
            )
        else:
            yield _hit(
                "T1", tr("This reasoning has no signature, but other reasoning in this log has one."), record, ordinal
            )


@rule(
    "T2",
    "changed-reasoning",
    RepairStage.REASONING,
    ("strip-reasoning turn", "leave"),
    preconditions=("error", "stray"),
)
def changed_reasoning(context: ThreadContext) -> Hits:
    """In the newest turn, a message with reasoning was changed.

    What it finds: signed reasoning in the newest assistant turn that the provider rejected as modified in the last error
    of the log. The rule also finds signed reasoning in the newest turn if a call seems to be missing from this turn,
    because a result without a call follows. This is a warning, because only the provider can tell for sure.
    Why it matters: Anthropic rejects the history, and does so on every retry: "`thinking` or `redacted_thinking` blocks
    in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."
    Example:
      assistant  thinking, then text  (the call to Read was removed)
      result     of Read
    Repairs: strip-reasoning (removes all reasoning from that turn, because it must be complete or absent, and reports
    it as lost. If thinking was enabled explicitly, older models require reasoning before a call, so disable thinking
    for one turn).

    Sources: anthropics/claude-code #63203, #63221, #63404; NousResearch/hermes-agent#6086.
    """
    if "T2" not in context.profile.refusals:
        return
    refused_rule, places = refused_reasoning(context)
    if refused_rule == "T2":
        text = tr("The provider rejected this reasoning because it was modified. See the last error in the log.")
        yield _hit("T2", text, *places[0])
    elif any(unmatched_results_of_kind(context, kind) for kind in _ORPHANS):
        yield from _of_a_lost_call(context)


def _of_a_lost_call(context: ThreadContext) -> Hits:
    turns = context.pairing.assistant_turns
    orphans = [tool for kind in _ORPHANS for tool in unmatched_results_of_kind(context, kind)]
    behind = [tool for tool in orphans if turns and context.pairing.turn_of(tool) == turns[-1] + 1]
    places = reasoning_in_records(context, newest_assistant_turn(context)) if behind else []
    if places:
        text = tr(
            "The call for the result {call_id} is missing. It was probably in the message with this reasoning, "
            "so the provider may reject the reasoning as modified.",
            call_id=context.call_id(behind[0]),
        )
        yield _hit("T2", text, *places[0], severity=Severity.WARNING)


@rule(
    "T3",
    "reasoning-behind-change",
    RepairStage.REASONING_BEHIND_CHANGES,
    ("strip-reasoning", "leave"),
    preconditions=("error", "changed"),
)
def reasoning_after_change(context: ThreadContext) -> Hits:
    """Content that precedes a reasoning block was changed.

    What it finds: signed reasoning at or after the first place that a repair changes, for a profile whose models bind
    reasoning to everything before it. The rule also finds reasoning that the provider rejected for this reason in the
    last error of the log. The log alone does not show that something before the reasoning was changed.
    Why it matters: such a model rejects that reasoning block and every later one: "Invalid `signature` in `thinking`
    block. The block is bound to a different conversation." If one block is removed from between others, the later
    blocks become invalid, too.
    Example:
      user       fix it
      assistant  thinking, calls Read  (a repair adds the result)
      user       go on
      assistant  thinking, then text  (this block is no longer valid)
    Repairs: strip-reasoning (removes that block and every later one, and reports each of them as lost). Alternatively,
    leave the log as it is, and set thinking.block_binding.prefix_mismatch_behavior to "drop_block" in the request
    (header anthropic-beta: thinking-binding-controls-2026-08-01). The server then leaves these blocks out of every
    further request.

    Source: platform.claude.com, build-with-claude/preserved-thinking: prefix-checks,
    fix-bound-to-a-different-conversation.
    """
    refused_rule, places = refused_reasoning(context)
    if refused_rule == "T3":
        text = tr("The provider rejected this reasoning or the content before it. See the last error in the log.")
        yield from (_hit("T3", text, *place, severity=Severity.ERROR) for place in places)
    elif context.profile.binds_reasoning and context.thread.first_change is not None:
        changed = context.thread.first_change()
        text = tr(
            "The repair changes the history before this reasoning, but the reasoning is valid only with the "
            "unchanged history."
        )
        yield from (
            _hit("T3", text, *place) for place in (signed_reasoning_at_or_after(context, *changed) if changed else ())
        )


@rule(
    "T7",
    "repeated-reasoning",
    RepairStage.REASONING,
    ("keep-last reasoning", "keep-first reasoning", "leave"),
    preconditions=("items",),
)
def repeated_reasoning_id(context: ThreadContext) -> Hits:
    """Two reasoning items have the same id.

    What it finds: a reasoning item with the same id (rs_…) as an earlier one. This happens if a stream was written
    twice, or if a summary was written again as it grew. It is reported only if the agent sends items back to the
    provider with their ids.
    Why it matters: OpenAI rejects the request: "Duplicate item found with id rs_…. Remove duplicate items from your
    input and try again."
    Example:
      rs_1 "old"
      call to Read
      rs_1 "new"
      output of Read
    Repairs: keep-last (keeps the newest item, but at the place of the first one, before the items that it led to),
    keep-first. If the other item has a different text, this text is reported as lost.

    Sources: vercel/ai#13307; openai-agents (run_internal/items.py), which prefers the latest.
    """
    if "T7" not in context.profile.refusals:
        return
    for record in repeated_reasoning_ids(context):
        name = context.columns.call_ids[context.columns.first_block[record]]
        text = tr("An earlier reasoning item has the same id: {name}.", name=name)
        yield RuleMatch(rule="T7", message=text, record=record, ordinal=0)


@rule(
    "T4",
    "reasoning-without-follower",
    RepairStage.BOUND_BLOCKS,
    ("strip-reasoning", "leave"),
    preconditions=("reasoning",),
)
def reasoning_without_follower(context: ThreadContext) -> Hits:
    """The item that must follow a reasoning item is missing.

    What it finds: a reasoning item with an id (rs_…) that is not followed by an assistant item, because its call was
    dropped or the stream broke off. Items without an id do not need a following item.
    Why it matters: OpenAI rejects the request: "Item 'rs_…' of type 'reasoning' was provided without its required
    following item."
    Example:
      user       fix it
      reasoning  rs_1
      user       go on
    Repairs: strip-reasoning (removes the item, and reports it as lost).

    Sources: if Codex 0.169.0 is killed after a reasoning item, it sends this item with its id on resume and is rejected;
    continuedev/continue#8933, openai/openai-node#1567, vercel/ai#7099, openai/openai-agents-js#326; for items without
    an id: vercel/ai#12869 and router-for-me/CLIProxyAPI#4285, which tested the API.
    """
    if "T4" not in context.profile.refusals:
        return
    for position in reasoning_items_without_follower(context):
        record = context.thread.path[position]
        name = context.columns.call_ids[context.columns.first_block[record]]
        yield RuleMatch(
            rule="T4",
            message=tr("No assistant item follows the reasoning item {name}.", name=name),
            record=record,
            ordinal=0,
        )


@rule(
    "T8",
    "reasoning-in-clear",
    RepairStage.REASONING,
    ("normalise reasoning", "strip-reasoning", "leave"),
    preconditions=("reasoning",),
)
def reasoning_in_clear(context: ThreadContext) -> Hits:
    """A reasoning item contains plain text.

    What it finds: a reasoning item of the Responses API with text in its `content`. This text was written by a program
    or by a server other than OpenAI's, such as a server for open models. If the log names a provider or model that is
    not OpenAI's, the finding is a warning, because the server that wrote the item also accepts it.
    Why it matters: OpenAI rejects the request: "Invalid 'input[39].content': array too long. Expected an array with
    maximum length 0, but got an array with length 1 instead."
    Example:
      rs_1 with content [reasoning_text "hm"]
      call to Read
      output of Read
    Repairs: normalise (removes the text, and reports it as lost; OpenAI's own reasoning is kept, because OpenAI reads
    it from `encrypted_content`), strip-reasoning (removes the item; this is the default for an item without
    `encrypted_content`, because such an item means nothing to OpenAI).

    Sources: openai/codex #36704 and #36551, musistudio/claude-code-router#1783, Wei-Shaw/sub2api#5178. Codex 0.169.0
    sends parts of type reasoning_text, but leaves out other parts.
    """
    if "T8" not in context.profile.refusals or not context.format.one_item_per_record:
        return
    severity = Severity.WARNING if context.session.is_sent_elsewhere else None
    for record, is_encrypted in reasoning_items_with_content(context):
        default = "normalise" if is_encrypted else "strip-reasoning"
        text = tr("A reasoning item has text in `content`, which OpenAI does not accept.")
        yield RuleMatch(rule="T8", message=text, record=record, ordinal=0, severity=severity, default=default)


@rule("T9", "reasoning-of-user", RepairStage.REASONING, ("strip-reasoning", "leave"), preconditions=("reasoning",))
def reasoning_of_user(context: ThreadContext) -> Hits:
    """A user message contains reasoning.

    What it finds: a thinking block in a message that is not an assistant message, for agents that send blocks as they
    are recorded or that stop at such a block.
    Why it matters: Anthropic rejects the history: "messages.0.content: thinking blocks may only be in `assistant`
    messages". Cline does not send the request at all.
    Example:
      user  hi, and a thinking block
    Repairs: strip-reasoning (removes the block, and reports it as lost).

    Sources: Alcova-AI/adk-anthropic-go#29; Claude Code 2.1.112 and 2.1.330 send such blocks unchanged; Cline 3.0.65
    stops.
    """
    columns, positions = context.columns, context.path_positions
    stops = context.format.stops_at_reasoning_of_user
    if not stops and not ("T9" in context.profile.refusals and context.format.sends_blocks_unchanged):
        return
    for row in reasoning_block_rows(context):
        record = columns.record_of_block(row)
        if columns.roles[record] == Role.USER and positions.get(record, -1) >= 0:
            text = tr("A user message contains reasoning.")
            yield _hit("T9", text, record, row - columns.first_block[record], Severity.ERROR if stops else None)


@rule("T5", "item-before-reasoning", RepairStage.BOUND_BLOCKS, ("normalise binding", "leave"), preconditions=("items",))
def item_before_reasoning(context: ThreadContext) -> Hits:
    """An item comes before its reasoning.

    What it finds: an assistant item with an id (fc_…, msg_…) right before the reasoning item of the same response
    (their ids start with the same digits), which means that the two items are in the wrong order. Missing reasoning
    cannot be detected, because models without reasoning write such items, too.
    Why it matters: OpenAI rejects the request: "Item 'fc_…' of type 'function_call' was provided without its required
    'reasoning' item: 'rs_…'."
    Example:
      call to Read  (fc_0a03…)
      reasoning     (rs_0a03…)
      output of Read
    Repairs: normalise (removes the item's own id, which links the item to its reasoning; the call keeps its call_id,
    and nothing is lost).

    Sources: mastra-ai/mastra#8738, VRSEN/agency-swarm#367, laravel/ai#1052.
    """
    if "T5" not in context.profile.refusals:
        return
    columns, path = context.columns, context.thread.path
    for position in reasoning_items_without_follower(context):
        reasoning = columns.call_ids[columns.first_block[path[position]]] or ""
        record = path[position - 1] if position else -1
        if record < 0 or columns.marks[record] & RecordMark.UNREADABLE:
            continue
        name = value_at(parse_json(context.raw(record)), "/id")
        if isinstance(name, str) and name != reasoning and are_of_one_response(name, reasoning):
            text = tr("The item {name} comes before its reasoning item, {reasoning}.", name=name, reasoning=reasoning)
            yield RuleMatch(rule="T5", message=text, record=record, ordinal=0)


@rule(
    "T6",
    "unsigned-call",
    RepairStage.BOUND_BLOCKS,
    ("normalise signature", "drop-call", "leave"),
    preconditions=("T6",),
)
def unsigned_call(context: ThreadContext) -> Hits:
    """A function call has no thought signature.

    What it finds: in a log whose model signs its calls, a step of the current turn (everything after the newest user
    text) whose first call has no thought signature. The other calls of a step do not need a signature, and earlier
    turns are not checked.
    Why it matters: Gemini 3 rejects the request: "Function call is missing a thought_signature in functionCall parts.
    This is required for tools to work correctly …"
    Example:
      user   fix it
      model  calls Read  (signed)
      result of Read
      model  calls Bash  (not signed)
    Repairs: normalise (adds the value that Google documents for calls made by another model,
    skip_thought_signature_validator), drop-call.

    Sources: ai.google.dev/gemini-api/docs/thought-signatures; vercel/ai#15550, cline/cline#8214.
    """
    columns = context.columns
    if "T6" not in context.profile.refusals or not columns.has_flag(BlockFlag.SIGNED):
        return
    signed = any(columns.block_flags[row] & BlockFlag.SIGNED for row in _calls(context, context.session.records))
    for record in _current_turn(context) if signed else ():
        calls = [row for row in columns.block_rows(record) if columns.block_kinds[row] == BlockKind.CALL]
        if calls and not columns.block_flags[calls[0]] & BlockFlag.SIGNED:
            tool = context.tool_by_block_row[calls[0]]
            label = tool_label(context, tool)
            text = tr(
                "The call to {label} has no thought signature, but other calls in this log have one.", label=label
            )
            yield context.match_at_tool("T6", tool, text)


def _calls(context: ThreadContext, members: range) -> list[int]:
    return context.columns.block_rows_of_kind(BlockKind.CALL, members.start, members.stop) if members else []


def _current_turn(context: ThreadContext) -> list[int]:
    """Return the model's records after the newest words of the user."""
    columns = context.columns
    found = []
    for record in reversed(context.thread.path):
        role = columns.roles[record]
        if role == Role.ASSISTANT:
            found.append(record)
        elif role == Role.USER and any(
            columns.block_kinds[row] != BlockKind.RESULT for row in columns.block_rows(record)
        ):
            break
    return found[::-1]


def _hit(rule: str, text: str, record: int, ordinal: int, severity: Severity | None = None) -> RuleMatch:
    return RuleMatch(rule=rule, message=text, record=record, ordinal=ordinal, severity=severity)
