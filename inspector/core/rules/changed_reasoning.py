"""Reasoning of the newest turn whose message was changed.

What it finds: signed reasoning in the newest turn of the assistant that the provider refused as modified, in the error
that the log ends with; and signed reasoning of a newest turn from which a call seems to be gone: a result without its
call follows it (a warning: only the provider can tell for sure).
Why it hurts: Anthropic refuses the history, at every further try: "`thinking` or `redacted_thinking` blocks in the
latest assistant message cannot be modified. These blocks must remain as they were in the original response."
Example: u | a[th]"t" | r(A=x), where the call A was taken out
Repairs: strip-reasoning (all reasoning of that turn goes together, listed as lost: it must be whole, or not there; with
thinking switched on by hand, older models ask for reasoning before a call: then switch it off for one turn).

Sources: anthropics/claude-code #63203, #63221, #63404; NousResearch/hermes-agent#6086.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.reasoning import newest_turn, reasoning_in, refused_reasoning
from inspector.core.scene.stray_results import StrayResult, stray_results

CODE = "T2"
ROW = Row("changed-reasoning", Stage.REASONING, ("strip-reasoning turn", "leave"))
_ORPHANS = (StrayResult.ORPHAN, StrayResult.MISMATCHED)


def find(scene: Scene) -> Hits:
    if CODE not in scene.profile.refusals:
        return
    rule, places = refused_reasoning(scene)
    if rule == CODE:
        text = "The provider refused this reasoning as modified: see the error that the log ends with."
        yield _hit(text, *places[0])
    elif any(stray_results(scene, kind) for kind in _ORPHANS):
        yield from _of_a_lost_call(scene)


def _of_a_lost_call(scene: Scene) -> Hits:
    turns = scene.pairing.assistant_turns
    orphans = [tool for kind in _ORPHANS for tool in stray_results(scene, kind)]
    behind = [tool for tool in orphans if turns and scene.pairing.turn(tool) == turns[-1] + 1]
    places = reasoning_in(scene, newest_turn(scene)) if behind else []
    if places:
        text = (
            f"The result {scene.call_id(behind[0])} has lost its call, and this reasoning belongs to the message that "
            "seems to have held it: the provider may refuse it as modified."
        )
        yield _hit(text, *places[0], severity=Severity.WARNING)


def _hit(text: str, record: int, ordinal: int, severity: Severity | None = None) -> Hit:
    return Hit(rule=CODE, message=text, record=record, ordinal=ordinal, severity=severity)
