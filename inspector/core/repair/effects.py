"""What a repair entails beyond its losses: where the prompt cache ends, and which reasoning is no longer valid."""

from inspector.core.known_texts.amounts import count_phrase
from inspector.core.repair.draft import Draft
from inspector.core.scene import ThreadContext
from inspector.core.scene.reasoning import signed_reasoning_from

_BINDING = (
    'thinking.block_binding.prefix_mismatch_behavior to "drop_block" (header anthropic-beta: '
    "thinking-binding-controls-2026-08-01)"
)


def consequences_of(draft: Draft, scene: ThreadContext) -> list[str]:
    """Sentences on the repair of a thread, of which `scene` is the repaired one.

    None for a history that only grew or was cut at its end, or did not change.
    """
    changed = scene.thread.first_change() if scene.thread.first_change is not None else None
    if changed is None:
        return []
    message = scene.message_number(scene.thread.path[changed[0]])
    said = [f"The prompt cache is broken from message {message} on (counted from 0): what follows is read anew."]
    behind = signed_reasoning_from(scene, *changed)
    if behind and not scene.profile.binds_reasoning:
        bound = f"from message {scene.message_number(behind[0][0])} on, {count_phrase(len(behind), 'block')}"
        said.append(
            f"Reasoning after here becomes invalid for models that bind it to what comes before ({bound}): "
            f"for those, repair for the profile anthropic-prefix-bound, or set {_BINDING}."
        )
    gone = sum(loss.kind == "reasoning" for loss in draft.losses)
    if gone:
        said.append(f"{count_phrase(gone, 'block')} of reasoning went with what it was bound to; see what is lost.")
    return said
