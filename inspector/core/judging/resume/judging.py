"""Would the provider take what an agent sends? The request is paired like any history, message by message."""

from array import array
from typing import NamedTuple

from inspector.core.formats.bases.request import Message, Request
from inspector.core.index.columns import BlockFlag, Columns, Role
from inspector.core.index.views import BlockKind
from inspector.core.profiles.profile import Profile, values_not_matching
from inspector.core.scene.pairing import Pairing, PairingState, pair_calls_and_results

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


def request_refusal(request: Request, columns: Columns, profile: Profile) -> ProviderRefusal | None:
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


def is_plainly_valid(request: Request, columns: Columns, profile: Profile) -> bool:
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


def _possible_faults(pairing: Pairing, sent: Columns, request: Request, profile: Profile) -> list[tuple[str, int, str]]:
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


def _columns_of(messages: list[Message], columns: Columns, apart: bool) -> Columns:
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
