"""What Qwen Code does on resume with a damaged chat.

Facts: @qwen-code/qwen-code 0.24.4, run against a provider on the loopback address, and its source
(`repairOrphanedToolUseTurns` before every request, `cleanOrphanedToolCalls` of the converter for OpenAI).
In memory it answers a call that has no result in the run of the user's messages behind its own, takes a result that
stands later in that run to its call, keeps the first of several results, and leaves results without a call out. A
result behind the next message of the model is not found: it stays out, and a placeholder is sent. The file stays as it
is. Lines that are no JSON are passed over (of whole records on one line both are read), so that what hung off them is
cut off from all that came before. A line that is torn is written on: the next record is fused with it and lost to the
resume after that. Of calls with one id the first keeps its place in the request; a later one goes with its result, in
whatever turn it stands, which no provider asks for. An input that is no object is sent letter by letter.
"""

from inspector.core.formats.bases.on_resume import BROKEN_CHAIN, LOOPED_CHAIN, UNREAD_JSON, OnResume, losses
from inspector.core.index.session import Session

LABEL = "Qwen Code"
COSTLY = frozenset({"K1"})  # findings of the classes that cost results, though the provider takes what is sent
_WITHOUT_CALL = "results whose call is not there"
_LOSSES = {
    "R1": _WITHOUT_CALL,
    "R8": _WITHOUT_CALL,
    "R2": "a result that came before its call",
    "R4": "a result behind the next message of the model, replaced by a placeholder",
    "R6": "the real result, where a placeholder came before it",
    "R7": "all but the first of several results",
    "R11": "calls and results in the wrong role",
    "R12": "results whose call is on another branch",
    "C2": "results whose call was compacted away",
    "K1": "calls that reuse an id, with their results",
    "K2": "calls that reuse an id, with their results",
    "K3": "calls without an id, with their results",
    "K5": "results that name their call by another id",
    "K6": "an input that is no object, which it sends letter by letter",
    **BROKEN_CHAIN,
    **LOOPED_CHAIN,
    **UNREAD_JSON,
    "F1": "the torn line, and the next record, which it writes onto it",
    "F2": "the record behind a torn one on its line, with all that came before it",
}
_SENT_AS_IT_IS = frozenset({"K4", "K7", "F7"})


def on_resume(session: Session, rules: set[str]) -> OnResume:
    """See `Agent.on_resume`."""
    agent, label = f"qwen-code {session.version}".strip(), session.agent or LABEL
    loses = losses(_LOSSES, rules)
    if rules & _SENT_AS_IT_IS:
        return OnResume(agent, "refuses", loses, label)
    of_pairs = any(rule[0] not in "FG" for rule in rules)
    return OnResume(agent, "mends" if of_pairs else "as-is", loses, label)
