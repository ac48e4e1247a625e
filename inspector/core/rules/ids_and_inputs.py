"""Rules about the fields of calls and results: ids, names and inputs, and the tools that a request defines."""

from collections.abc import Iterator

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.item_ids import repeated_item_ids
from inspector.core.analysis.unmatched_results import (
    UnmatchedResultKind,
    call_by_other_id_result,
    tool_label,
    unmatched_results_of_kind,
)
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.model.columnar_index import RecordMark
from inspector.core.model.views import BlockKind
from inspector.core.providers.openai_chat.schema import MALFORMED_CALL_FLAG
from inspector.core.providers.openai_responses.schema import (
    ID_NOT_REQUIRED_TYPES,
    ITEM_ID_PREFIXES,
    decode_item,
    item_type,
)
from inspector.core.providers.profile import values_not_matching
from inspector.core.rules.rule import Hits, RepairStage, RuleMatch, ThreadContext, rule
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr

_LONG_ID, _LONG_NAME = 40, 64  # every provider takes ids of that length, and most names
_SHOWN = 60


@rule(
    "K1",
    "reused-id",
    RepairStage.REUSED_IDS,
    ("rename", "drop-call", "leave"),
    preconditions=("reused",),
    in_request=True,
)
def id_reused_from_earlier_turn(context: ThreadContext) -> Hits:
    """A call has an id that was used in an earlier turn.

    What it finds: a call whose id is also the id of a call in an earlier turn. Local models and some gateways start to
    count from 0 again in each turn.
    Why it matters: Anthropic requires ids to be unique in the whole request. OpenAI requires it only within a turn.
    Example:
      assistant  calls Read with id call_0
      result     of call_0
      user       go on
      assistant  calls Bash with id call_0
      result     of call_0
    Repairs: rename (gives the call and its result a new id; nothing is lost), drop-call.
    """
    for tool in context.pairing.reused_ids:
        yield context.match_at_tool(
            "K1", tool, tr("An earlier call already has the id {call_id!r}.", call_id=context.call_id(tool))
        )


@rule(
    "K2",
    "repeated-id",
    RepairStage.REPEATED_IDS,
    ("drop again", "rename", "leave"),
    preconditions=("repeated",),
    in_request=True,
)
def id_repeated_in_turn(context: ThreadContext) -> Hits:
    """Two calls in the same turn have the same id.

    What it finds: two calls in the same turn that have the same id.
    Why it matters: every provider requires ids to be unique within a turn.
    Example:
      assistant  calls Read with id 1 and Read with id 1
      result     of 1
    Repairs: drop (removes an identical call that has no result of its own), rename (gives the call and its result a new
    id).
    """
    same = _repeats(context) if context.pairing.repeated_ids else set()
    for tool in context.pairing.repeated_ids:
        text = tr("The id {call_id!r} is used twice in one turn.", call_id=context.call_id(tool))
        yield context.match_at_tool("K2", tool, text, default="drop" if tool in same else "rename")


def _repeats(context: ThreadContext) -> set[int]:
    """Return the unanswered calls that repeat an earlier call of their turn: the same id, name and input."""
    pairing, kinds = context.pairing, context.columns.block_kinds
    unanswered = {tool for tool in pairing.repeated_ids if pairing.counterparts[tool] < 0}
    asked = {(pairing.turn_of(tool), context.call_id(tool)) for tool in unanswered}
    said: set[tuple[int, str, str, str]] = set()
    found = set()
    for tool, row in enumerate(pairing.block_rows if asked else ()):
        turn, call_id = pairing.turn_of(tool), context.call_id(tool)
        if kinds[row] != BlockKind.CALL or (turn, call_id) not in asked:
            continue
        view = context.block_view(*context.tool_location(tool))
        if view is not None:
            says = turn, call_id, view.name, view.text
            if says in said and tool in unanswered:
                found.add(tool)
            said.add(says)
    return found


@rule(
    "K3",
    "missing-id",
    RepairStage.CALL_FIELDS,
    ("rename", "drop", "leave"),
    preconditions=("nameless",),
    in_request=True,
)
def missing_id(context: ThreadContext) -> Hits:
    """A call has no id.

    What it finds: a call whose id is missing or empty.
    Why it matters: no result can be matched to such a call, and every provider rejects it.
    Example:
      assistant  calls Read with id ""
      result     of ""
    Repairs: rename (calls and results without an id are matched in order, and each pair gets a new id), drop.
    """
    for tool in context.pairing.calls_without_id:
        record, ordinal = context.tool_location(tool)
        if not context.format.block_bytes(context.columns, record, context.raw(record), ordinal).startswith(b"{"):
            text = tr("An entry in the list of calls is not a call.")
            yield context.match_at_tool("K3", tool, text, default="drop", strategies=("drop", "leave"))
            continue
        yield context.match_at_tool(
            "K3", tool, tr("The call to {tool_label} has no id.", tool_label=tool_label(context, tool))
        )


@rule(
    "K4",
    "illegal-id",
    RepairStage.CALL_FIELDS,
    ("rename legal", "drop-call", "leave"),
    preconditions=("calls",),
    by_profile=True,
    in_request=True,
)
def illegal_id(context: ThreadContext) -> Hits:
    """The provider does not accept the id of a call.

    What it finds: a call whose id has characters or a length that the provider rejects. For example, Anthropic and
    Bedrock reject "functions.read:0", and OpenAI rejects ids with more than 64 characters. Which ids are valid depends
    on the provider. Use --profile to check for another provider.
    Why it matters: the whole history is rejected if it came from another model or gateway that uses such ids.
    Example:
      assistant  calls Read with id functions.read:0
      result     of functions.read:0
    Repairs: rename (the call and all its results get one valid id; nothing is lost), drop-call.
    """
    if context.profile.name in agent_of(context.format).profiles_with_new_ids:
        return
    ids = context.columns.call_ids
    illegal = values_not_matching(map(ids.__getitem__, context.call_rows), context.profile.call_id_pattern)
    illegal.discard("")  # K3 reports a missing id.
    for row in context.call_rows if illegal else ():
        call_id = ids[row]
        if call_id in illegal:
            shown = call_id if len(call_id) <= _SHOWN else f"{call_id[:_SHOWN]}…"
            long = len(call_id) > _LONG_ID
            what = (
                tr("is {number} characters long", number=len(call_id))
                if long
                else tr("contains characters that are not allowed")
            )
            text = tr(
                "{label} does not accept the id {shown!r}, because it {what}.",
                shown=shown,
                what=what,
                label=context.profile.label,
            )
            yield context.match_at_tool(
                "K4", context.tool_by_block_row[row], text, value=call_id, case="long" if long else ""
            )


@rule(
    "K5",
    "second-id",
    RepairStage.SECOND_IDS,
    ("rename other-id", "keep-as-note", "drop", "leave"),
    preconditions=("stray",),
)
def result_with_alternate_id(context: ThreadContext) -> Hits:
    """A call has two ids.

    What it finds: a result that refers to its call by a different id of the same call. This can be the item's id
    (`fc_...`) instead of `call_id` (`call_...`), one half of "call_...|fc_...", or an id that a gateway has rewritten.
    It is reported only if exactly one call without a result and one result match. If the call already has a result, the
    later result counts as a second result (R5, R7).
    Why it matters: the provider compares ids exactly. To the provider, the result has no call and the call has no
    result, so it rejects both.
    Example:
      call    id=fc_1  call_id=call_1
      output  call_id=fc_1
    Repairs: rename (gives the result the `call_id` of the call, or gives the call the `call_id` of the result if it has
    none; nothing is lost), keep-as-note, drop.
    """
    for tool in unmatched_results_of_kind(context, UnmatchedResultKind.ALTERNATIVE_ID):
        call = context.call_id(call_by_other_id_result(context)[tool])
        binds = tr("the id that links them is {call!r}", call=call) if call else tr("the call has no other id")
        text = tr(
            "This result refers to its call as {call_id!r}, but {binds}.", call_id=context.call_id(tool), binds=binds
        )
        yield context.match_at_tool("K5", tool, text)


@rule(
    "K6",
    "bad-input",
    RepairStage.CALL_FIELDS,
    ("normalise input", "leave"),
    preconditions=("bad-input",),
    in_request=True,
)
def bad_input(context: ThreadContext) -> Hits:
    """The input of a call is not an object.

    What it finds: a call input that is null, missing, a string or a list (for OpenAI: arguments that are not a string).
    Why it matters: the provider rejects such a call with "Input should be a valid dictionary".
    Example:
      assistant  calls Read with input null
      result     of Read
    Repairs: normalise (replaces null with {}, parses a string that contains JSON, and keeps anything else under
    "_raw").
    """
    for tool in context.pairing.calls_with_bad_input:
        text = tr(
            "The input of the call to {tool_label} has a type that the provider does not accept.",
            tool_label=tool_label(context, tool),
        )
        yield context.match_at_tool("K6", tool, text)


@rule(
    "K7",
    "illegal-name",
    RepairStage.CALL_FIELDS,
    ("normalise name", "drop-call", "leave"),
    preconditions=("calls",),
    by_profile=True,
    in_request=True,
)
def illegal_name(context: ThreadContext) -> Hits:
    """The provider does not accept the name of a tool.

    What it finds: a call whose tool has no name, or a name with characters or a length that the provider rejects. Use
    --profile to check for another provider. For Gemini, responses must also name their tool. It does not matter whether
    the next request offers a tool with this name, because no provider compares the history with the tools of the
    request.
    Why it matters: a single call with an invalid name makes every later request fail. Such a name can be one that the
    model invented or that was cut off in a stream.
    Example:
      assistant  calls ""
      result     of this call
    Repairs: normalise (keeps the valid characters, or uses the name invalid_tool_call if none are left; the call keeps
    its result, the old name is reported as lost, and a response gets the name of its call), drop-call.
    """
    names = context.columns.names
    illegal = values_not_matching(map(names.__getitem__, context.call_rows), context.profile.tool_name_pattern)
    for row in context.call_rows if illegal else ():
        name = names[row] or ""
        if name in illegal and (name or _is_call(context, context.tool_by_block_row[row])):
            shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
            text = tr("{label} does not accept the tool name {shown!r}.", label=context.profile.label, shown=shown)
            text = text if name else tr("The call has no tool name.")
            case = "long" if len(name) > _LONG_NAME else "" if name else "empty"
            yield context.match_at_tool("K7", context.tool_by_block_row[row], text, value=name, case=case)
    for call in _with_nameless_response(context) if context.profile.tool_name_pattern else ():
        name = names[context.pairing.block_rows[call]] or ""
        if name and name not in illegal:
            yield context.match_at_tool(
                "K7", call, tr("The response to the {name!r} call has no tool name.", name=name), case="empty"
            )


def _with_nameless_response(context: ThreadContext) -> Iterator[int]:
    """Yield the calls with a response that has no name, where the wire format requires one."""
    names, rows = context.columns.names, context.pairing.block_rows
    if any(row.name and row.wants_name for row in context.format.block_schema.results):
        yield from (
            call for call, told in context.results_by_call.items() if any(names[rows[each]] == "" for each in told)
        )


def _is_call(context: ThreadContext, tool: int) -> bool:
    """Return whether a call without a name is a call at all. Rule K3 reports an entry that is no object."""
    record, ordinal = context.tool_location(tool)
    return context.format.block_bytes(context.columns, record, context.raw(record), ordinal).startswith(b"{")


@rule("K9", "misshapen-call", RepairStage.CALL_SHAPES, ("normalise call", "drop-call", "leave"), preconditions=("api",))
def misshapen_call(context: ThreadContext) -> Hits:
    """A call has an invalid structure.

    What it finds: an entry of `tool_calls` without a `type`, with a `type` that does not match its content, or without
    a `function` (if it is missing or null, or if the name and arguments are in the entry itself). Calls in tau2 logs
    have this flat form by design, and are not sent in this form.
    Why it matters: OpenAI, Azure and llama.cpp reject the whole request: "Missing required parameter:
    'messages[2].tool_calls[0].type'". Mistral accepts a call without a type, but not without a function.
    Example:
      assistant  tool_calls [{"id": "1", "function": {…}}]
      result     of 1
    Repairs: normalise (adds the type, and moves name and arguments to where they belong; a call without either becomes
    a call to invalid_tool_call without arguments, and keeps its result), drop-call.
    """
    columns = context.columns
    if not (context.format.is_provider_api and columns.has_flag(MALFORMED_CALL_FLAG)):
        return
    for row in context.call_rows:
        if columns.block_flags[row] & MALFORMED_CALL_FLAG:
            tool = context.tool_by_block_row[row]
            record, ordinal = context.tool_location(tool)
            lacking = context.format.missing_member(
                context.format.block_bytes(columns, record, context.raw(record), ordinal)
            )
            if lacking:
                text = tr(
                    "The call to {tool_label} has no valid `{lacking}` field.",
                    tool_label=tool_label(context, tool),
                    lacking=lacking,
                )
                yield context.match_at_tool("K9", tool, text, case=lacking)


@rule("K10", "item-id", RepairStage.SECOND_IDS, ("normalise item", "leave"), preconditions=("misnamed",))
def wrong_item_id_prefix(context: ThreadContext) -> Hits:
    """The id of an item has the wrong prefix for its type.

    What it finds: an item of the Responses API whose own id does not start with the prefix of its type: msg for a
    message, rs for reasoning, fc for a function call and its output, ctc for a custom tool's call, ws for a search.
    Such an id was made up by a program or another server (a UUID, item_…, chatcmpl-…), or is the id of the call. Codex
    sends the ids that are in its rollout.
    Why it matters: OpenAI rejects the whole request, and does so on every retry: "Invalid 'input[1].id': '019f629b-…'.
    Expected an ID that begins with 'msg'."
    Example:
      a message with id 25fdab0e-8ec3-413c-8703-7ce5668ec990
    Repairs: normalise (removes the id, which is not needed, because call_id still links a call and its output; nothing
    is lost).

    Sources: openai/codex #33176, #32282, #27928, #40039; jlcodes99/cockpit-tools#2090; Wei-Shaw/sub2api#1505.
    """
    if not context.columns.has_mark(RecordMark.WRONG_ID_PREFIX):
        return
    for record in context.thread.path:
        if context.columns.marks[record] & RecordMark.WRONG_ID_PREFIX:
            raw = context.raw(record)
            item = decode_item(parse_json(raw_json_at(raw, context.format.item_pointer(raw))))
            kind, own = item_type(item), item.id or ""
            begins = ITEM_ID_PREFIXES[kind][0]
            text = tr(
                "This {kind} has the id {own!r}, which does not start with {begins!r}.",
                own=own,
                kind=kind,
                begins=begins,
            )
            yield RuleMatch(rule="K10", message=text, record=record, case=begins, value=own)


@rule(
    "K13",
    "misnamed-response",
    RepairStage.CALL_FIELDS,
    ("normalise response-name", "leave"),
    preconditions=("K13",),
    in_request=True,
)
def misnamed_response(context: ThreadContext) -> Hits:
    """A response and its call have different tool names.

    What it finds: in Gemini contents, and in the logs of agents that send them unchanged, a response whose `id` matches
    a call but whose `name` does not. If a call has two responses, the one with the call's name is its response. (A
    response without a name is reported as K7.)
    Why it matters: Gemini 3 rejects the whole request, with no other explanation than "Request contains an invalid
    argument."
    Example:
      model     calls f with id 1
      response  of 1, named g
    Repairs: normalise (gives the response the name of its call, and reports the old name as lost).

    Source: archestra-ai/archestra#7583, which tested Vertex AI with and without the right name.
    """
    is_own_api = context.format.profile in (context.profile.name, context.profile.api)
    if "K13" not in context.profile.refusals or not is_own_api:
        return
    names, rows = context.columns.names, context.pairing.block_rows
    for call in context.results_by_call:
        result = context.pairing.counterparts[call]
        called, named = names[rows[call]], names[rows[result]] if result >= 0 else ""
        if called and named and named != called:
            text = tr("The response to the {called!r} call has the tool name {named!r}.", called=called, named=named)
            yield context.match_at_tool("K13", result, text)


@rule("K12", "repeated-item-id", RepairStage.SECOND_IDS, ("normalise item", "leave"), preconditions=("item-ids",))
def repeated_item_id(context: ThreadContext) -> Hits:
    """Two items have the same id.

    What it finds: an item of the Responses API (a message, a call) whose own id (msg_…, fc_…) is also the id of an
    earlier item, because a program restarted its numbering or wrote an item twice. Repeated reasoning ids are reported
    as T7. The `call_id` of a call is a different id (see K1 and K2). A repeated item id is reported only if the agent
    sends items back to the provider with their ids, as Codex 0.169.0 does.
    Why it matters: OpenAI rejects the request: "Duplicate item found with id msg_…. Remove duplicate items from your
    input and try again."
    Example:
      fc_1  calls Read
      output of Read
      fc_1  calls Bash
      output of Bash
    Repairs: normalise (removes the id of the later item, which is not needed, because call_id still links a call and
    its output; nothing is lost).

    Sources: earendil-works/pi #5149 and #5151, microsoft/vscode#321977, github/app#540.
    """
    if "K12" not in context.profile.refusals:
        return
    for record, (kind, own) in repeated_item_ids(context).items():
        strategies = repeated_item_id.strategies if kind in ID_NOT_REQUIRED_TYPES else ("leave",)
        text = tr("This {kind} has the same id as an earlier item: {own!r}.", kind=kind, own=own)
        yield RuleMatch(
            rule="K12", message=text, record=record, value=own, strategies=strategies, default=strategies[0]
        )


@rule(
    "K11",
    "unnamed-result",
    RepairStage.CALL_FIELDS,
    ("normalise name", "leave"),
    preconditions=("calls",),
    loses_records=True,
    in_request=True,
)
def unnamed_result(context: ThreadContext) -> Hits:
    """A result has no tool name.

    What it finds: a result without a tool name whose call has a name, in logs of an agent that requires a tool name in
    every result.
    Why it matters: Cline 3.0.65 and the AI SDK up to version 6 stop before they send anything: "The messages do not
    match the ModelMessage[] schema".
    Example:
      assistant  calls read_files
      result     without a name
    Repairs: normalise (gives the result the name of its call).
    """
    if not context.format.requires_result_names:
        return
    names, rows = context.columns.names, context.pairing.block_rows
    for call, results in context.results_by_call.items():
        name = names[rows[call]]
        if name and not all(names[rows[each]] for each in results):
            yield context.match_at_tool("K11", call, tr("The result of the {name!r} call has no tool name.", name=name))


@rule("K8", "tools-not-defined", None, ("leave",), preconditions=("no-tools",))
def request_defines_no_tools(context: ThreadContext) -> Hits:
    """A request contains calls but defines no tools.

    What it finds: a complete request body (not just a history) that has calls or results in its messages but no
    `toolConfig`.
    Why it matters: Bedrock rejects such a request, and so does LiteLLM when it sends requests to Anthropic. Requests
    for summaries and titles often look like this. Anthropic itself now accepts them.
    Example:
      {"modelId": …, "messages": [… toolUse …]} without toolConfig
    Repairs: none, because the log does not contain the tool definitions. Send the tools with the request, or define a
    tool that is never called.
    """
    if not context.session.defines_no_tools or "K8" not in context.profile.refusals or not context.pairing.block_rows:
        return
    text = tr(
        "The request contains calls but defines no tools. Send the tools with the request, or define a tool that "
        "is never called."
    )
    # The history is sound: what has to change stands beside it, and is not in the log.
    yield context.match_at_tool("K8", 0, text, severity=Severity.WARNING)
