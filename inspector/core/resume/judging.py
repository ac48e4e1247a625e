"""Would the provider take what an agent sends? The request is paired like any history, message by message."""

from __future__ import annotations

from array import array

from inspector.core.columns import Columns, Flag, Role
from inspector.core.formats.bases.request import Message, Request
from inspector.core.pairing import Pairing, State, pair
from inspector.core.profiles.profile import Profile
from inspector.core.views import BlockKind

_ODD = {
    State.DISPLACED: "R4",
    State.MIXED: "R9",
    State.DUPLICATE: "R5",
    State.EARLY: "R2",
    State.ORPHAN: "R1",
}


def refusal_of(request: Request, columns: Columns, profile: Profile) -> str | None:
    """The error that the provider would answer to the pairs and roles of a request, None where it takes them."""
    sent = _columns_of(request.messages, columns)
    pairing = pair(sent, array("I", range(len(sent))), profile, folds=False)
    for code, tool in _wrong_with(pairing, request):
        block = pairing.rows[tool] - sent.first[pairing.record(tool)] if tool >= 0 else 0
        call_id = sent.call_ids[pairing.rows[tool]] if tool >= 0 else ""
        message = max(pairing.message(tool), 0) if tool >= 0 else 0
        if profile.refuses(code, call_id or ""):
            return profile.refusal(code, message, block, call_id or "")
    return None


def _wrong_with(pairing: Pairing, request: Request) -> list[tuple[str, int]]:
    """(rule, tool block or -1) of all that is wrong with the pairs, and with who speaks first."""
    found = [("D2", tool) for tool in pairing.unanswered]
    found += [(_ODD[State(pairing.states[tool])], tool) for tool in pairing.odd_results]
    found += [("R11", tool) for tool in pairing.misplaced]
    found += [("K2", tool) for tool in pairing.repeated]
    found += [("K1", tool) for tool in pairing.reused]
    found += [("K3", tool) for tool in pairing.nameless]
    found += [("K6", tool) for tool in pairing.bad_input]
    found.sort(key=lambda each: each[1])
    starts_amiss = pairing.first_role == Role.ASSISTANT and not request.opens
    return [("M4", -1), *found] if starts_amiss else found


def _columns_of(messages: list[Message], columns: Columns) -> Columns:
    """The messages as an index of their own, a record each; the agent's own results are results."""
    sent = Columns()
    for message in messages:
        sent.add_record(0, 0, message.role)
        for block in message.blocks:
            row = block.row
            if block.answer:
                sent.add_block(BlockKind.RESULT, columns.block_flags[row] & Flag.FAMILY, columns.call_ids[row])
            elif block.told:
                sent.add_block(BlockKind.TEXT)
            else:
                flags, name = columns.block_flags[row], columns.names[row]
                sent.add_block(columns.block_kinds[row], flags, columns.call_ids[row], name)
    return sent
