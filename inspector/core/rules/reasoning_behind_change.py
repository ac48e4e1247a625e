"""Reasoning behind a change of what comes before it.

What it finds: signed reasoning at or behind the first place that a repair changes, for a profile whose models bind
reasoning to everything before it; and reasoning that the provider refused for that reason, in the error that the log
ends with. That something before it was changed cannot be seen in a log by itself.
Why it hurts: such a model refuses that block, and every later one: "Invalid `signature` in `thinking` block. The block
is bound to a different conversation." Leaving out one block between others breaks the later ones, too.
Example: u | a[th]{A} | u | a[th]"t", where A is answered by a repair: the second th is invalid
Repairs: strip-reasoning (that block and every later one go together, each listed as lost). Or leave the log, and let
the request set thinking.block_binding.prefix_mismatch_behavior to "drop_block" (header anthropic-beta:
thinking-binding-controls-2026-08-01): then the server leaves those blocks out, at every further request.

Source: platform.claude.com, build-with-claude/preserved-thinking: prefix-checks, fix-bound-to-a-different-conversation.
"""

from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.reasoning import refused_reasoning, signed_from

CODE = "T3"
ROW = Row("reasoning-behind-change", Stage.REASONING_BEHIND_CHANGES, ("strip-reasoning", "leave"))


def find(scene: Scene) -> Hits:
    rule, places = refused_reasoning(scene)
    if rule == CODE:
        text = "The provider refused this reasoning, or what stands before it: see the error that the log ends with."
        yield from (_hit(text, *place, severity=Severity.ERROR) for place in places)
    elif scene.profile.binds_reasoning and scene.thread.changed is not None:
        changed = scene.thread.changed()
        text = "What comes before this reasoning is changed by the repair: it is bound to it as it was."
        yield from (_hit(text, *place) for place in (signed_from(scene, *changed) if changed else ()))


def _hit(text: str, record: int, ordinal: int, severity: Severity | None = None) -> Hit:
    return Hit(rule=CODE, message=text, record=record, ordinal=ordinal, severity=severity)
