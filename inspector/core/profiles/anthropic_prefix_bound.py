"""Anthropic Messages for models with preserved thinking: signed reasoning is bound to everything before it.

Claude Fable 5.1, Opus 5.5, Sonnet 5.5, Haiku 5.5 and later compare `system`, `tools` and every earlier message with
what they were when a block was made; leaving out one block between others counts as a change. Enforced by default for
accounts made since 2026-08-31, for others where a request sets `thinking.block_binding.prefix_mismatch_behavior`.
Whoever sends that as "drop_block" is not refused: the server leaves the blocks out. Sources: platform.claude.com,
build-with-claude/preserved-thinking with its pages prefix-checks and fix-bound-to-a-different-conversation;
anomalyco/opencode#48637, kirodotdev/KiroCrew#11513.
"""

from msgspec import structs

from inspector.core.profiles.anthropic import PROFILE as ANTHROPIC

_BOUND = (
    "messages.{message}.content.{block}: Invalid `signature` in `thinking` block. The block is bound to a different "
    'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)

PREFIX_BOUND_PROFILE = structs.replace(
    ANTHROPIC,
    name="anthropic-prefix-bound",
    label="Anthropic Messages (preserved thinking)",
    refusals={**ANTHROPIC.refusals, "T3": _BOUND},
    binds_reasoning=True,
    source="platform.claude.com, build-with-claude/preserved-thinking/prefix-checks",
)
