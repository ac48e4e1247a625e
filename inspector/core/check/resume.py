"""The outcome of a resume: what the agent sends, compared with the log and checked against its provider."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from inspector.core.analysis.pairing import PairingState, PathPairing, pair_calls_and_results
from inspector.core.analysis.reasoning import reasoning_block_rows, refused_reasoning
from inspector.core.analysis.refused_content import malformed_messages
from inspector.core.analysis.thread_context import RuleMatch, ThreadContext
from inspector.core.analysis.unmatched_results import recorded_tool_name, tool_label
from inspector.core.check.steps_with_anomalies import thread_of_steps_with_anomalies
from inspector.core.formats.base.agent_behavior import RequestBuilder, ResumeBehavior, agent_of
from inspector.core.formats.base.request import RequestBlock, RequestMessage, ResumeRequest
from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.session import Thread
from inspector.core.model.views import CALL_KINDS, BlockKind, one_based
from inspector.core.providers.profile import OPEN_CALL_RULES, Profile, values_not_matching
from inspector.core.rules import INVALID_CHARACTER_RULES, RULES
from inspector.core.rules.rule import Rule
from inspector.core.storage.json_text import HALF_PAIR, has_lone_surrogate
from inspector.core.translation import mark_plural_forms, tr, tr_plural

_RULE_BY_STATE = {
    PairingState.DISPLACED: "R4",
    PairingState.AFTER_OTHER_CONTENT: "R9",
    PairingState.DUPLICATE: "R5",
    PairingState.BEFORE_CALL: "R2",
    PairingState.ORPHAN: "R1",
}
_LONE_SURROGATE, _MISSHAPEN = "F7", "M12"
_INPUT, _NAME = "K6", "K7"
# Enum lookups are slow, and there are many blocks.
_CALL, _RESULT, _TOLD = int(BlockKind.CALL), int(BlockKind.RESULT), int(BlockKind.TOLD_RESULT)
_USER, _ASSISTANT = int(Role.USER), int(Role.ASSISTANT)


_MOST_NAMES = 3
_GEMINI = "gemini"  # the wire on which a response names its tool
# Wires on which an input is a JSON text inside a string: a half in it is an escape of that text, which is legal.
_WIRES_WITH_QUOTED_INPUTS = frozenset({"openai-chat", "openai-responses"})


_SILENT = (int(Role.OPAQUE), int(Role.LINK))


_PAIRED = int(PairingState.PAIRED)

# What an agent does not send, in words: without the names of the tools, and with them.
_CALLS = (
    mark_plural_forms("a call", "{number} calls"),
    mark_plural_forms("the call to {tools}", "{number} calls ({tools})"),
)
_RESULTS_OF_DROPPED_CALLS = (
    mark_plural_forms("the result of a dropped call", "{number} results of dropped calls"),
    mark_plural_forms("the result of the dropped call to {tools}", "{number} results of dropped calls ({tools})"),
)
_REPLACED_RESULTS = (
    mark_plural_forms(
        "a real result (replaced with a placeholder)", "{number} real results (replaced with placeholders)"
    ),
    mark_plural_forms(
        "the real result of {tools} (replaced with a placeholder)",
        "{number} real results of {tools} (replaced with placeholders)",
    ),
)
_DUPLICATE_RESULTS = (
    mark_plural_forms("a duplicate result", "{number} duplicate results"),
    mark_plural_forms("a duplicate result of {tools}", "{number} duplicate results ({tools})"),
)
_RESULTS_WITHOUT_CALLS = (
    mark_plural_forms("a result without a matching call", "{number} results without matching calls"),
    mark_plural_forms(
        "a result of {tools} without a matching call", "{number} results ({tools}) without matching calls"
    ),
)


class ProviderRefusal(NamedTuple):
    """An error that a provider would answer with, and whether it names the number of a message."""

    text: str
    names_message_number: bool = False


def resume_outcome(context: ThreadContext, hits: list[RuleMatch], errors: set[str]) -> ResumeBehavior:
    """Return what the agent does with a checked session on resume.

    `context` is the context of the main thread, `hits` its matches, and `errors` the rules that reported errors. Where
    nothing was found, nothing has to be worked out.
    """
    bridged = all(link.agent_continues for link in context.thread.damaged_links)
    unsent_rules = {rule for rule in errors if not _is_in_request(RULES[rule], bridged)}
    format = context.format
    behavior = agent_of(format).resume_behavior(
        context.session, unsent_rules if isinstance(format, RequestBuilder) else errors
    )
    clean = context.pairing.is_clean and not context.thread.damaged_links and not errors
    if not isinstance(format, RequestBuilder):
        return behavior if clean else _as_the_history_shows(behavior, context, hits, errors)
    if clean and context.half_pairs is None:
        return behavior
    if _is_unknown(format, context.session.version, unsent_rules):
        # Agents read records with halves of characters, and the index does not: the request is not known.
        return (
            replace(behavior, outcome="unknown")
            if behavior.recovers and not errors.issubset(INVALID_CHARACTER_RULES)
            else behavior
        )
    relevant = _near(context, hits) if format.steps_are_independent else None
    request, refusal = _final_request(context, hits, unsent_rules, relevant or context.thread)
    if refusal is not None and refusal.names_message_number and relevant is not None:
        relevant = None
        request, refusal = _final_request(context, hits, unsent_rules, context.thread)
    if request.stop_reason:
        return replace(behavior, outcome="refuses", losses=behavior.losses, error=request.stop_reason)
    difference = RequestDifference(context, hits, request, relevant)
    starts_empty = not request.messages and bool(request.lost)
    behavior = replace(
        behavior,
        losses=tuple(dict.fromkeys((*behavior.losses, *request.lost, *(() if starts_empty else difference.losses)))),
        answered_calls=difference.added_answers,
        file_changes=request.file_changes or behavior.file_changes,
        starts_empty=starts_empty,
    )
    if behavior.outcome in ("refuses", "unknown"):
        return behavior
    refusal = refusal or _refused_half_pair(context, request, context.half_pairs or frozenset())
    if refusal is not None:
        return replace(behavior, outcome="refuses", error=refusal.text, is_rejected_request=True)
    # The agent has corrected whatever else was wrong.
    changed = errors - unsent_rules or difference.losses or difference.added_answers
    return replace(behavior, outcome="mends" if changed else behavior.outcome)


def _as_the_history_shows(
    behavior: ResumeBehavior, context: ThreadContext, hits: list[RuleMatch], errors: set[str]
) -> ResumeBehavior:
    """Return what an agent does whose requests are not known, as far as the rest of the history shows it.

    An agent that writes its whole history with every turn has sent what is before the newest response. Where a call
    without a result is there, and the history goes on, the agent answered the call itself.
    """
    agent = agent_of(context.format)
    if behavior.recovers or agent.logs_requests or not _goes_on_after(context, hits, errors):
        return behavior
    if agent.writes_whole_history and errors.issubset(OPEN_CALL_RULES):
        return replace(behavior, outcome="mends")
    return replace(behavior, goes_on=True) if behavior.outcome == "refuses" else behavior


def _goes_on_after(context: ThreadContext, hits: Iterable[RuleMatch], errors: set[str]) -> bool:
    """Return whether a request was answered after every anomaly of these rules.

    Damage and broken links may be younger than the answers.
    """
    roles, path, positions = context.columns.roles, context.pairing.path, context.path_positions
    spoken = [(place, roles[record]) for place, record in enumerate(path) if roles[record] not in _SILENT]
    last_answer = next((place for place, role in reversed(spoken) if role == _ASSISTANT), -1)
    last_request = next((place for place, role in reversed(spoken) if role != _ASSISTANT and place < last_answer), -1)
    return all(
        not RULES[hit.rule].loses_records and 0 <= positions.get(hit.record, -1) <= last_request
        for hit in hits
        if hit.rule in errors
    )


def _is_unknown(format: RequestBuilder, version: str, rules: set[str]) -> bool:
    """Return whether one of these rules is about invalid characters, and what the agent does with them is not known."""
    invalid = rules.intersection(INVALID_CHARACTER_RULES)
    return not invalid <= format.invalid_characters(version).keys()


def _near(context: ThreadContext, hits: list[RuleMatch]) -> Thread | None:
    """Return the relevant steps of the thread, computed once for all versions of the agent."""
    if thread_of_steps_with_anomalies not in context.cached_results:
        context.cached_results[thread_of_steps_with_anomalies] = thread_of_steps_with_anomalies(context, hits)
    thread: Thread | None = context.cached_results[thread_of_steps_with_anomalies]
    return thread


def _final_request(
    context: ThreadContext, hits: list[RuleMatch], rules: set[str], thread: Thread
) -> tuple[ResumeRequest, ProviderRefusal | None]:
    """Return what the agent finally sends of a thread, and the provider's refusal of it."""
    request = _request(context, thread)
    if request.stop_reason:
        return request, None
    refusal = _refusal_of(context, hits, rules, request)
    if refusal is not None and request.retry is not None:
        return request.retry, _refusal_of(context, hits, rules, request.retry)
    return request, refusal


def _request(context: ThreadContext, thread: Thread) -> ResumeRequest:
    """Return what the agent sends of a thread: the main thread, or its relevant steps."""
    assert isinstance(context.format, RequestBuilder)
    session = context.session if thread is context.thread else replace(context.session, threads=[thread])
    return context.format.build_request(session, context.columns, context.raw)


def _is_in_request(rule: Rule, bridged: bool) -> bool:
    """Return whether the request shows a violation of a rule, or the agent does not care about it.

    An agent does not care about broken links that it continues after (`bridged`).
    """
    return rule.in_request or (bridged and rule.of_link)


def _refusal_of(
    context: ThreadContext, hits: Iterable[RuleMatch], rules: set[str], request: ResumeRequest
) -> ProviderRefusal | None:
    return _refused_anomaly(context, hits, rules, request) or request_refusal(request, context.columns, context.profile)


def _refused_anomaly(
    context: ThreadContext, hits: Iterable[RuleMatch], rules: set[str], request: ResumeRequest
) -> ProviderRefusal | None:
    """Return the provider's answer to an anomaly of these rules that is sent unchanged, None if there is none.

    Where the profile has no text for a refusal and the log ends with the provider's error, that error is used.
    """
    relevant_hits = [hit for hit in hits if hit.rule in rules]
    sent = _rows_sent_unchanged(context, request) if relevant_hits else set()
    for hit in relevant_hits:
        rows = context.columns.block_rows(hit.record)
        hit_rows: Sequence[int] = rows[hit.ordinal : hit.ordinal + 1] if hit.ordinal >= 0 else rows
        if hit.rule == _MISSHAPEN:
            hit_rows = _misshapen_rows(context, hit.record)
        if hit.rule == _LONE_SURROGATE and not _sends_surrogate(context, request, sent.intersection(rows)):
            continue
        if not sent.isdisjoint(hit_rows):
            message, call_id = context.message_number(hit.record), context.match_id(hit)
            text = context.profile.refusal_text(hit.rule, message, max(hit.ordinal, 0), call_id, hit.case)
            if text is None and hit.rule == refused_reasoning(context)[0]:
                text = context.last_error[1]
            if text is not None:
                return ProviderRefusal(text)
    return None


def _misshapen_rows(context: ThreadContext, record: int) -> Sequence[int]:
    """Return the rows of the blocks in which a message is malformed, all rows if it is so outside of its blocks."""
    rows, misfits = context.columns.block_rows(record), malformed_messages(context).get(record, ())
    pointers = [f"{context.format.pointer(context.columns, record, ordinal)}/" for ordinal in range(len(rows))]
    malformed: set[int] = set()
    for misfit in misfits:
        within = {row for row, at in zip(rows, pointers, strict=True) if f"{misfit.pointer}/".startswith(at)}
        if not within:
            return rows
        malformed |= within
    return sorted(malformed)


def _sends_surrogate(context: ThreadContext, request: ResumeRequest, rows: Iterable[int]) -> bool:
    """Return whether a lone surrogate of a record is in a block that is sent. It may be beside its message."""
    columns, raw = context.columns, context.raw
    if request.replaces_surrogates:
        return False
    blocks = ((columns.record_of_block(row), row) for row in rows)
    return any(
        has_lone_surrogate(context.format.block_bytes(columns, record, raw(record), row - columns.first_block[record]))
        for record, row in blocks
    )


def _refused_half_pair(
    context: ThreadContext, request: ResumeRequest, records: frozenset[int]
) -> ProviderRefusal | None:
    """Return the provider's answer to half of a surrogate pair in what is sent of these records, None if none is."""
    columns, halved = context.columns, (_CALL,) if request.wire in _WIRES_WITH_QUOTED_INPUTS else ()
    for message in request.messages if records else ():
        for block in message.blocks:
            record = columns.record_of_block(block.row)
            if record not in records or block.answer or columns.block_kinds[block.row] in halved:
                continue
            if HALF_PAIR.search(_sent_words(context, record, block)):
                text = context.profile.refusal_text("F7", context.message_number(record), 0, "", "")
                return ProviderRefusal(text) if text is not None else None
    return None


def _sent_words(context: ThreadContext, record: int, block: RequestBlock) -> str:
    """Return the text of a block as it is sent, for a call its input."""
    format, ordinal = context.format, block.row - context.columns.first_block[record]
    assert isinstance(format, RequestBuilder)
    raw = format.block_bytes(context.columns, record, context.raw(record), ordinal)
    kind = BlockKind(context.columns.block_kinds[block.row])
    said = block.stored_form or format.sent_text(context.columns.roles[record], kind, raw, "")
    view = context.block_view(record, ordinal) if not said else None
    return said or (view.text if view is not None else "")


def _rows_sent_unchanged(context: ThreadContext, request: ResumeRequest) -> set[int]:
    """Return the blocks of the log that a request sends unchanged, including reasoning that it does not list."""
    reasoning = reasoning_block_rows(context) if request.sends_reasoning else ()
    return request.rows.union(reasoning).difference(request.rows_as_text)


def unsent_result_reason(
    context: ThreadContext, hits: list[RuleMatch], edited_records: Sequence[int], as_read: ThreadContext
) -> str:
    """Return why the agent would not send a result that is in its place, "" when it sends all of them.

    This checks a planned repair: a result that the agent does not find is not repaired. `hits` are the matches that
    remain, and `edited_records` the records that the repair edits. A reason that also stops the agent in the log as
    read (`as_read`) is ignored, since no repair of results can help.
    """
    format = context.format
    if not isinstance(format, RequestBuilder):
        return ""
    edits_are_few = format.steps_are_independent and 2 * len(edited_records) < len(context.pairing.path)
    thread = (
        thread_of_steps_with_anomalies(context, hits, edited_records) if edits_are_few else None
    ) or context.thread
    request = _request(context, thread)
    if request.stop_reason:
        before = format.build_request(as_read.session, as_read.columns, as_read.raw)
        return (
            ""
            if before.stop_reason == request.stop_reason
            else tr("the agent would not continue the session: {stop_reason}", stop_reason=request.stop_reason)
        )
    columns, pairing, sent = context.columns, context.pairing, request.rows
    for row in chain.from_iterable(map(columns.block_rows, thread.path)):
        if columns.block_kinds[row] == _RESULT and row not in sent:
            tool = context.tool_by_block_row.get(row)
            if tool >= 0 and pairing.states[tool] == _PAIRED:
                return tr(
                    "the agent would not send the result of {tool} in record {record}",
                    tool=tool_label(context, tool),
                    record=one_based(pairing.record_of(tool)),
                )
    return ""


class RequestDifference:
    """What a request leaves out of the main thread, or of its relevant steps, and what it adds.

    `unsent_rows` are the blocks that say something and are not sent. `losses` and `added_answers` describe the
    difference in words.
    """

    def __init__(
        self, context: ThreadContext, hits: Iterable[RuleMatch], request: ResumeRequest, relevant: Thread | None = None
    ) -> None:
        self.context, self.columns, self.thread = context, context.columns, relevant or context.thread
        sent = {
            block.row
            for message in request.messages
            for block in message.blocks
            if block.stored_form or not block.answer
        }
        # A needless result says nothing that is lost when it is dropped.
        losable = {rule for rule in {hit.rule for hit in hits} if "drop needless" in RULES[rule].repairs}
        needless = {context.pairing.block_rows[hit.tool] for hit in hits if hit.rule in losable and hit.tool >= 0}
        said = list(self._said())
        unsent = set(said) - sent - needless
        self.unsent_rows = (
            [row for row in said if row in unsent and _says_something(self.columns, row)] if unsent else []
        )
        answered = {block.row for block in request.placeholder_results}
        self.added_answers = self._told(sorted(answered), *_CALLS)
        self.losses = tuple(self._losses(self.unsent_rows, answered))

    def _said(self) -> Iterable[int]:
        """Return the blocks of the main thread, and of the results that hang off it."""
        columns, thread = self.columns, self.thread
        first, roles = columns.first_block, columns.roles
        spoken = [record for record in (*thread.path, *thread.stranded_results) if roles[record] not in _SILENT]
        ends = first[1:]
        return chain.from_iterable(map(range, map(first.__getitem__, spoken), map(ends.__getitem__, spoken)))

    def _losses(self, unsent_rows: list[int], answered: set[int]) -> Iterable[str]:
        kinds, pairing, tools = self.columns.block_kinds, self.context.pairing, self.context.tool_by_block_row
        calls = [row for row in unsent_rows if kinds[row] in CALL_KINDS]
        results = [row for row in unsent_rows if kinds[row] == BlockKind.RESULT]
        peers = {row: pairing.counterparts[tools.get(row, 0)] for row in results if tools.get(row, -1) >= 0}
        call_of = {row: pairing.block_rows[peer] for row, peer in peers.items() if peer >= 0}
        unsent = set(calls)
        replaced = [row for row in results if call_of.get(row) in answered]
        with_call = [row for row in results if call_of.get(row) in unsent]
        second = [row for row in results if self._is_second(row) and call_of.get(row) not in unsent]
        reported = {*replaced, *with_call, *second}
        rest = [row for row in results if row not in reported]
        yield from self._told(calls, *_CALLS)
        yield from self._told(with_call, *_RESULTS_OF_DROPPED_CALLS)
        yield from self._told(replaced, *_REPLACED_RESULTS)
        yield from self._told(second, *_DUPLICATE_RESULTS)
        yield from self._told(rest, *_RESULTS_WITHOUT_CALLS)
        texts = sum(kinds[row] in (BlockKind.TEXT, BlockKind.MEDIA) for row in unsent_rows)
        if texts:
            yield tr_plural("{number:,} text or image block", "{number:,} text or image blocks", texts)

    def _is_second(self, row: int) -> bool:
        tool = self.context.tool_by_block_row.get(row, -1)
        return tool >= 0 and self.context.pairing.states[tool] == PairingState.DUPLICATE

    def _told(self, rows: list[int], unnamed: tuple[str, str], named: tuple[str, str]) -> tuple[str, ...]:
        """Describe blocks in a few words, with the names of their tools if any has one."""
        if not rows:
            return ()
        names = Counter(filter(None, map(self._name, rows)))
        tools = ", ".join(list(names)[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")
        return (tr_plural(*(named if tools else unnamed), len(rows), tools=tools),)

    def _name(self, row: int) -> str:
        """Return the name of the tool, "" where neither the block nor its counterpart has one."""
        tool = self.context.tool_by_block_row.get(row, -1)
        return recorded_tool_name(self.context, tool) if tool >= 0 else self.columns.names[row] or ""


def _says_something(columns: Columns, row: int) -> bool:
    kind, flags = columns.block_kinds[row], columns.block_flags[row]
    if kind == BlockKind.TEXT:
        return not flags & BlockFlag.BLANK
    if kind == BlockKind.RESULT:
        return not flags & BlockFlag.PLACEHOLDER
    return kind in (*CALL_KINDS, BlockKind.MEDIA, BlockKind.TOLD_RESULT)


def request_refusal(request: ResumeRequest, columns: Columns, profile: Profile) -> ProviderRefusal | None:
    """Return the error that the provider would answer, None where it accepts the request.

    Pairs of calls and results, names and roles are checked. The request is paired like any other history.
    """
    if passes_quick_validity_check(request, columns, profile):
        return None
    sent = _columns_of(request.messages, columns, profile.result_role == Role.TOOL)
    pairing = pair_calls_and_results(sent, array("I", range(len(sent))), profile, merge_fragments=False)
    for code, tool, case in _possible_faults(pairing, sent, request, profile):
        row = pairing.block_rows[tool] if tool >= 0 else -1
        block = row - sent.first_block[pairing.record_of(tool)] if tool >= 0 else 0
        call_id = sent.call_ids[row] or "" if tool >= 0 else ""
        message = max(pairing.message_of(tool), 0) + profile.counts_system_message if tool >= 0 else 0
        if text := profile.refusal_text(code, message, block, call_id, case) if code in profile.refusals else None:
            return ProviderRefusal(text, profile.names_message_number(code, case))
    return None


def passes_quick_validity_check(request: ResumeRequest, columns: Columns, profile: Profile) -> bool:
    """Return whether a quick check finds a request valid.

    The user must speak first, and the results of a message's calls must open the next message. Most requests of agents
    are like that, and pairing them takes five times as long. False means that the request has to be paired.
    """
    if profile.result_role != Role.USER or not request.messages or request.messages[0].role != _USER:
        return False
    kinds, flags, ids = columns.block_kinds, columns.block_flags, columns.call_ids
    waiting: set[str] = set()
    calls: dict[str, int] = {}
    for message in request.messages:
        if message.role != _USER and (message.role != _ASSISTANT or waiting):
            return False
        says_more = False
        for block in message.blocks:
            kind = _RESULT if block.answer else 0 if block.stored_form else kinds[block.row]
            if block.is_repeat or kind == _TOLD:
                return False
            if kind != _CALL and kind != _RESULT:
                says_more = True
                continue
            call_id = block.id or ids[block.row]
            if (
                (kind == _CALL) != (message.role == _ASSISTANT)
                or not call_id
                or flags[block.row] & BlockFlag.CALL_TYPE_MASK
            ):
                return False
            if kind == _RESULT:
                if says_more or call_id not in waiting:
                    return False
                if columns.names[block.row] not in (None, columns.names[calls[call_id]]):
                    return False
                waiting.remove(call_id)
            elif call_id in calls or (flags[block.row] & BlockFlag.BAD_INPUT and _INPUT not in request.corrected):
                return False
            else:
                waiting.add(call_id)
                calls[call_id] = block.row
        if waiting and message.role == _USER:
            return False
    names = (columns.names[row] for row in calls.values())
    return not (
        waiting
        or values_not_matching(calls, profile.call_id_pattern)
        or (_NAME not in request.corrected and values_not_matching(names, profile.tool_name_pattern))
    )


def _possible_faults(
    pairing: PathPairing, sent: Columns, request: ResumeRequest, profile: Profile
) -> list[tuple[str, int, str]]:
    """Return (rule, tool block or -1, case) for all that may be wrong with pairs, names and the first speaker.

    Which ids (K4) and names (K7) are legal depends on the profile. A case distinguishes faults for which some providers
    have a separate message: a call without a name, or a second result far from its call.
    """
    faults = [("K2", tool, "") for tool in pairing.repeated_ids]
    faults += [("K1", tool, "") for tool in pairing.reused_ids]
    faults += [("D2", tool, "") for tool in pairing.unanswered]
    faults += [
        (_RULE_BY_STATE[PairingState(pairing.states[tool])], tool, _late(pairing, tool))
        for tool in pairing.unexpected_results
    ]
    faults += [("R11", tool, "") for tool in pairing.in_wrong_role]
    faults += [("K3", tool, "") for tool in pairing.calls_without_id]
    # For Chat an agent writes the arguments as a text, whatever the log holds.
    sends_any_input = request.wire == "openai-chat" or _INPUT in request.corrected
    faults += [(_INPUT, tool, "") for tool in pairing.calls_with_bad_input if not sends_any_input]
    calls = [(tool, row) for tool, row in enumerate(pairing.block_rows) if sent.block_kinds[row] == _CALL]
    ids = values_not_matching([sent.call_ids[row] for _, row in calls], profile.call_id_pattern)
    names = [] if _NAME in request.corrected else [sent.names[row] for _, row in calls]
    illegal_names = values_not_matching(names, profile.tool_name_pattern)
    if ids:
        faults += [("K4", tool, "") for tool, row in calls if sent.call_ids[row] in ids]
    if illegal_names:
        named_calls = ((tool, sent.names[row] or "") for tool, row in calls)
        faults += [(_NAME, tool, "" if name else "empty") for tool, name in named_calls if name in illegal_names]
    if request.wire == _GEMINI and request.as_stored:
        faults += _faulty_response_names(pairing, sent.names)
    faults.sort(key=lambda fault: fault[1])
    starts_amiss = pairing.first_role == Role.ASSISTANT and not request.begins_with_user
    return [("M4", -1, ""), *faults] if starts_amiss else faults


def _faulty_response_names(pairing: PathPairing, names: Sequence[str | None]) -> Iterator[tuple[str, int, str]]:
    """Yield the responses without a name (K7), and those with another name than their call (K13)."""
    for call, result in enumerate(pairing.counterparts):
        if result > call:
            called, named = (names[pairing.block_rows[tool]] for tool in (call, result))
            if not named or named != called:
                yield ("K13", result, "") if named else (_NAME, result, "empty")


def _late(pairing: PathPairing, tool: int) -> str:
    second = pairing.states[tool] == PairingState.DUPLICATE
    return "late" if second and pairing.turn_of(tool) != pairing.turn_of(pairing.counterparts[tool]) + 1 else ""


def _columns_of(messages: list[RequestMessage], columns: Columns, apart: bool) -> Columns:
    """Return the messages of a request as an index with one record for each message.

    Results that the agent adds count as results. With `apart` every result is a message by itself, as in wire formats
    that have a role for results.
    """
    sent = Columns()
    for message in messages:
        single = apart and message.role == Role.TOOL
        if not single or not message.blocks:
            sent.add_record(0, 0, message.role)
        for block in message.blocks:
            row, call_id = block.row, block.id or columns.call_ids[block.row]
            if block.is_repeat:
                continue
            if single:
                sent.add_record(0, 0, message.role)
            if block.answer:
                flags = columns.block_flags[row] & BlockFlag.CALL_TYPE_MASK
                sent.add_block(BlockKind.RESULT, flags, call_id, columns.names[row])
            elif block.stored_form:
                sent.add_block(BlockKind.TEXT)
            else:
                sent.add_block(columns.block_kinds[row], columns.block_flags[row], call_id, columns.names[row])
    return sent
