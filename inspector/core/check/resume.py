"""What a resume comes to: the difference between what the log holds and what its agent sends.

Merged; to be rewritten:
`resume`: What a resume comes to: what the agent sends, compared with the log and judged by the provider.
`judging`: Would the provider take what an agent sends? The request is paired like any history, message by message.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from inspector.core.analysis.pairing import Pairing, PairingState, pair_calls_and_results
from inspector.core.analysis.reasoning import reasoning_rows, refused_reasoning
from inspector.core.analysis.thread import Match, ThreadContext
from inspector.core.analysis.unmatched_results import recorded_tool_name, tool_label
from inspector.core.check.relevant_steps import relevant_steps
from inspector.core.formats.base.agent import RequestBuilder, ResumeBehavior, agent_of
from inspector.core.formats.base.request import RequestMessage, ResumeRequest
from inspector.core.model.columns import BlockFlag, Columns, Role
from inspector.core.model.session import Thread
from inspector.core.model.views import CALL_KINDS, BlockKind, one_based
from inspector.core.providers.profile import Profile, values_not_matching
from inspector.core.rules import RULES, UNDECODED
from inspector.core.rules.rule import Rule
from inspector.core.text import count_phrase

# What a resume comes to: what the agent sends, compared with the log and judged by the provider.


# Would the provider take what an agent sends? The request is paired like any history, message by message.

_RULE_BY_STATE = {
    PairingState.DISPLACED: "R4",
    PairingState.AFTER_OTHER_CONTENT: "R9",
    PairingState.DUPLICATE: "R5",
    PairingState.BEFORE_CALL: "R2",
    PairingState.ORPHAN: "R1",
}
# Enums are looked up slowly, and blocks are many.
_CALL, _RESULT, _TOLD = int(BlockKind.CALL), int(BlockKind.RESULT), int(BlockKind.TOLD_RESULT)
_USER, _ASSISTANT = int(Role.USER), int(Role.ASSISTANT)


class ProviderRefusal(NamedTuple):
    """The error that a provider would answer; `counts`: it tells the number of a message of the request."""

    text: str
    names_message_number: bool = False


def request_refusal(request: ResumeRequest, columns: Columns, profile: Profile) -> ProviderRefusal | None:
    """The error that the provider would answer to the pairs, names and roles of a request, None where it takes them."""
    if is_plainly_valid(request, columns, profile):
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


def is_plainly_valid(request: ResumeRequest, columns: Columns, profile: Profile) -> bool:
    """Whether a short look finds nothing wrong: user first, and the results of each message's calls open the next one.

    What agents send is so nearly always, and pairing it takes five times as long. False tells nothing.
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
                waiting.remove(call_id)
            elif call_id in calls or flags[block.row] & BlockFlag.BAD_INPUT:
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
        or values_not_matching(names, profile.tool_name_pattern)
    )


def _possible_faults(
    pairing: Pairing, sent: Columns, request: ResumeRequest, profile: Profile
) -> list[tuple[str, int, str]]:
    """(rule, tool block or -1, case) of all that may be wrong with pairs and names, and with who speaks first.

    Which ids (K4) and names (K7) are legal only the provider knows. A case is what some of them have a text of its own
    for: a call without a name, a second result far from its call.
    """
    found = [("K2", tool, "") for tool in pairing.repeated_ids]
    found += [("K1", tool, "") for tool in pairing.reused_ids]
    found += [("D2", tool, "") for tool in pairing.unanswered]
    found += [
        (_RULE_BY_STATE[PairingState(pairing.states[tool])], tool, _late(pairing, tool))
        for tool in pairing.unexpected_results
    ]
    found += [("R11", tool, "") for tool in pairing.in_wrong_role]
    found += [("K3", tool, "") for tool in pairing.calls_without_id]
    # The arguments that an agent writes for Chat are a text, whatever the log holds.
    found += [("K6", tool, "") for tool in pairing.calls_with_bad_input if request.wire != "openai-chat"]
    calls = [(tool, row) for tool, row in enumerate(pairing.block_rows) if sent.block_kinds[row] == _CALL]
    ids = values_not_matching([sent.call_ids[row] for _, row in calls], profile.call_id_pattern)
    names = values_not_matching([sent.names[row] for _, row in calls], profile.tool_name_pattern)
    if ids:
        found += [("K4", tool, "") for tool, row in calls if sent.call_ids[row] in ids]
    if names:
        unnamed = ((tool, sent.names[row] or "") for tool, row in calls)
        found += [("K7", tool, "" if name else "empty") for tool, name in unnamed if name in names]
    found.sort(key=lambda each: each[1])
    starts_amiss = pairing.first_role == Role.ASSISTANT and not request.begins_with_user
    return [("M4", -1, ""), *found] if starts_amiss else found


def _late(pairing: Pairing, tool: int) -> str:
    second = pairing.states[tool] == PairingState.DUPLICATE
    return "late" if second and pairing.turn_of(tool) != pairing.turn_of(pairing.counterparts[tool]) + 1 else ""


def _columns_of(messages: list[RequestMessage], columns: Columns, apart: bool) -> Columns:
    """The messages as an index of their own, a record each; the agent's own results are results.

    With `apart`, every result is a message, as it is in the wires with a role of its own for them.
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
                sent.add_block(BlockKind.RESULT, columns.block_flags[row] & BlockFlag.CALL_TYPE_MASK, call_id)
            elif block.stored_form:
                sent.add_block(BlockKind.TEXT)
            else:
                sent.add_block(columns.block_kinds[row], columns.block_flags[row], call_id, columns.names[row])
    return sent


_MOST_NAMES = 3
# Enums are looked up slowly, and blocks are many.
_SILENT = (int(Role.OPAQUE), int(Role.LINK))
_PAIRED = int(PairingState.PAIRED)


def resume_outcome(scene: ThreadContext, hits: list[Match], errors: set[str]) -> ResumeBehavior:
    """What the agent does with a judged session on resume, given its anomalies and which rules told of errors.

    `scene` is that of the main thread. For a log in which nothing was found nothing needs to be worked out.
    """
    bridged = all(link.agent_continues for link in scene.thread.damaged_links)
    untold = {rule for rule in errors if not _is_in_request(RULES[rule], bridged)}
    format = scene.format
    told = agent_of(format).resume_behavior(scene.session, untold if isinstance(format, RequestBuilder) else errors)
    clean = scene.pairing.is_clean and not scene.thread.damaged_links and not errors
    if not isinstance(format, RequestBuilder) or clean:
        return told
    if not untold.isdisjoint(UNDECODED):
        # Records with halves of characters are read by the agents, and not by the index: nobody knows their request.
        return replace(told, outcome="unknown") if told.recovers and not errors.issubset(UNDECODED) else told
    narrow = _near(scene, hits) if format.steps_are_independent else None
    request, refusal = _final_request(scene, hits, untold, narrow or scene.thread)
    if refusal is not None and refusal.names_message_number and narrow is not None:
        narrow = None
        request, refusal = _final_request(scene, hits, untold, scene.thread)
    if request.stop_reason:
        return replace(told, outcome="refuses", losses=told.losses, error=request.stop_reason)
    difference = RequestDifference(scene, hits, request, narrow)
    anew = not request.messages and bool(request.lost)
    told = replace(
        told,
        losses=tuple(dict.fromkeys((*told.losses, *request.lost, *(() if anew else difference.losses)))),
        answered_calls=difference.added_answers,
        file_changes=request.file_changes,
        starts_empty=anew,
    )
    if told.outcome in ("refuses", "unknown"):
        return told
    if refusal is not None:
        return replace(told, outcome="refuses", error=refusal.text)
    # Whatever else was wrong the agent has put in order.
    changed = errors - untold or difference.losses or difference.added_answers
    return replace(told, outcome="mends" if changed else told.outcome)


def _near(scene: ThreadContext, hits: list[Match]) -> Thread | None:
    """What is near the anomalies, worked out once for all versions of the agent."""
    if relevant_steps not in scene.cached_results:
        scene.cached_results[relevant_steps] = relevant_steps(scene, hits)
    found: Thread | None = scene.cached_results[relevant_steps]
    return found


def _final_request(
    scene: ThreadContext, hits: list[Match], rules: set[str], thread: Thread
) -> tuple[ResumeRequest, ProviderRefusal | None]:
    """What the agent sends of a thread in the end, and the provider's refusal of it."""
    request = _request(scene, thread)
    if request.stop_reason:
        return request, None
    refusal = _refusal_of(scene, hits, rules, request)
    if refusal is not None and request.retry is not None:
        return request.retry, _refusal_of(scene, hits, rules, request.retry)
    return request, refusal


def _request(scene: ThreadContext, thread: Thread) -> ResumeRequest:
    """What the agent sends of a thread: the main one, or what is near in it."""
    assert isinstance(scene.format, RequestBuilder)
    session = scene.session if thread is scene.thread else replace(scene.session, threads=[thread])
    return scene.format.build_request(session, scene.columns, scene.raw)


def _is_in_request(rule: Rule, bridged: bool) -> bool:
    """Whether the request tells of a rule, or it is none to the agent: it goes on behind the links that are broken."""
    return rule.in_request or (bridged and rule.of_link)


def _refusal_of(
    scene: ThreadContext, hits: Iterable[Match], rules: set[str], request: ResumeRequest
) -> ProviderRefusal | None:
    return _refused_anomaly(scene, hits, rules, request) or request_refusal(request, scene.columns, scene.profile)


def _refused_anomaly(
    scene: ThreadContext, hits: Iterable[Match], rules: set[str], request: ResumeRequest
) -> ProviderRefusal | None:
    """The provider's answer to an anomaly of these rules that is sent as it stands, None where none is.

    What a profile does not know the provider itself has said where the log ends with its error.
    """
    found = [hit for hit in hits if hit.rule in rules]
    sent = _rows_sent_unchanged(scene, request) if found else set()
    for hit in found:
        rows = scene.columns.block_rows(hit.record)
        named = rows[hit.ordinal : hit.ordinal + 1] if hit.ordinal >= 0 else rows
        if not sent.isdisjoint(named):
            message, call_id = scene.message_number(hit.record), scene.match_id(hit)
            text = scene.profile.refusal_text(hit.rule, message, max(hit.ordinal, 0), call_id, hit.case)
            if text is None and hit.rule == refused_reasoning(scene)[0]:
                text = scene.last_error[1]
            if text is not None:
                return ProviderRefusal(text)
    return None


def _rows_sent_unchanged(scene: ThreadContext, request: ResumeRequest) -> set[int]:
    """The blocks of the log that a request holds as they are, reasoning that it does not tell of among them."""
    reasoning = reasoning_rows(scene) if request.sends_reasoning else ()
    return request.rows.union(reasoning).difference(request.rows_as_text)


def unsent_result_reason(
    scene: ThreadContext, hits: list[Match], edited_records: Sequence[int], as_read: ThreadContext
) -> str:
    """What the agent would not send of the results that stand with their calls, in a sentence; "" when it sends all.

    Asked of a planned repair, with what is still found and the records that it edits: a result that is put where the
    agent does not look for it is not repaired. What stops the agent in the log `as_read`, too, no repair of results can
    help.
    """
    format = scene.format
    if not isinstance(format, RequestBuilder):
        return ""
    few = format.steps_are_independent and 2 * len(edited_records) < len(scene.pairing.path)
    thread = (relevant_steps(scene, hits, edited_records) if few else None) or scene.thread
    request = _request(scene, thread)
    if request.stop_reason:
        before = format.build_request(as_read.session, as_read.columns, as_read.raw)
        return (
            ""
            if before.stop_reason == request.stop_reason
            else f"the agent would not go on with it: {request.stop_reason}"
        )
    columns, pairing, sent = scene.columns, scene.pairing, request.rows
    for row in chain.from_iterable(map(columns.block_rows, thread.path)):
        if columns.block_kinds[row] == _RESULT and row not in sent:
            tool = scene.tool_by_block_row.get(row)
            if tool >= 0 and pairing.states[tool] == _PAIRED:
                where = f"in record {one_based(pairing.record_of(tool))}"
                return f"the agent would not send the result of {tool_label(scene, tool)} {where}"
    return ""


class RequestDifference:
    """What a request leaves out of the main thread, or of what is `near` in it, and what it puts in.

    `gone` are the blocks that are not sent although they say something; `loses` and `answers` tell it in words.
    """

    def __init__(
        self, scene: ThreadContext, hits: Iterable[Match], request: ResumeRequest, relevant: Thread | None = None
    ) -> None:
        self.scene, self.columns, self.thread = scene, scene.columns, relevant or scene.thread
        sent = {
            block.row for each in request.messages for block in each.blocks if block.stored_form or not block.answer
        }
        # What costs nothing to drop says nothing that does not stay.
        losable = {rule for rule in {hit.rule for hit in hits} if "drop needless" in RULES[rule].repairs}
        needless = {scene.pairing.block_rows[hit.tool] for hit in hits if hit.rule in losable and hit.tool >= 0}
        said = list(self._said())
        unsent = set(said) - sent - needless
        self.unsent_rows = (
            [row for row in said if row in unsent and _says_something(self.columns, row)] if unsent else []
        )
        answered = {block.row for block in request.placeholder_results}
        self.added_answers = self._told("the call", "calls", sorted(answered))
        self.losses = tuple(self._losses(self.unsent_rows, answered))

    def _said(self) -> Iterable[int]:
        """The blocks of the main thread, and of the results that hang off it."""
        columns, thread = self.columns, self.thread
        first, roles = columns.first_block, columns.roles
        spoken = [record for record in (*thread.path, *thread.stranded_results) if roles[record] not in _SILENT]
        ends = first[1:]
        return chain.from_iterable(map(range, map(first.__getitem__, spoken), map(ends.__getitem__, spoken)))

    def _losses(self, gone: list[int], answered: set[int]) -> Iterable[str]:
        kinds, pairing, tools = self.columns.block_kinds, self.scene.pairing, self.scene.tool_by_block_row
        calls = [row for row in gone if kinds[row] in CALL_KINDS]
        results = [row for row in gone if kinds[row] == BlockKind.RESULT]
        peers = {row: pairing.counterparts[tools.get(row, 0)] for row in results if tools.get(row, -1) >= 0}
        call_of = {row: pairing.block_rows[peer] for row, peer in peers.items() if peer >= 0}
        unsent = set(calls)
        replaced = [row for row in results if call_of.get(row) in answered]
        with_call = [row for row in results if call_of.get(row) in unsent]
        second = [row for row in results if self._is_second(row) and call_of.get(row) not in unsent]
        told = {*replaced, *with_call, *second}
        rest = [row for row in results if row not in told]
        yield from self._told("the call", "calls", calls)
        yield from self._told("the result", "results", with_call, " with the call")
        yield from self._told("the real result", "real results", replaced, ": it sends a text of its own instead")
        yield from self._told("a second result", "second results", second)
        yield from self._told("a result", "results", rest, " without a call that it could answer")
        words = sum(kinds[row] in (BlockKind.TEXT, BlockKind.MEDIA) for row in gone)
        if words:
            yield f"{count_phrase(words, 'text')} beside what it drops"

    def _is_second(self, row: int) -> bool:
        tool = self.scene.tool_by_block_row.get(row, -1)
        return tool >= 0 and self.scene.pairing.states[tool] == PairingState.DUPLICATE

    def _told(self, one: str, many: str, rows: list[int], more: str = "") -> tuple[str, ...]:
        """Blocks in a few words, by the names of their tools."""
        if not rows:
            return ()
        names = Counter(filter(None, map(self._name, rows)))
        shown = ", ".join(list(names)[:_MOST_NAMES]) + (" …" if len(names) > _MOST_NAMES else "")
        of = "to" if one.endswith("call") else "of"
        if len(rows) == 1:
            return (f"{one} {of} {shown}{more}" if shown else f"{one}{more}",)
        return (f"{len(rows)} {many} ({shown}){more}" if shown else f"{len(rows)} {many}{more}",)

    def _name(self, row: int) -> str:
        """The tool's name, "" where neither the block nor its counterpart tells it."""
        tool = self.scene.tool_by_block_row.get(row, -1)
        return recorded_tool_name(self.scene, tool) if tool >= 0 else self.columns.names[row] or ""


def _says_something(columns: Columns, row: int) -> bool:
    kind, flags = columns.block_kinds[row], columns.block_flags[row]
    if kind == BlockKind.TEXT:
        return not flags & BlockFlag.BLANK
    if kind == BlockKind.RESULT:
        return not flags & BlockFlag.PLACEHOLDER
    return kind in (*CALL_KINDS, BlockKind.MEDIA, BlockKind.TOLD_RESULT)
