"""What Codex does on resume with damage, which its request does not tell of.

A line that does not parse is skipped and counted (openai/codex, codex-rs/rollout/src/recorder.rs @b505ee8).
"""

from __future__ import annotations

from inspector.core.formats.bases.terms import OnResume
from inspector.core.formats.codex.sends import BARE

_LOSSES = {
    "F1": "the torn line",
    "F2": "the fused line",
    "F3": "the line of NUL bytes",
    "F4": "the record that is split over several lines",
    "F5": "the line with invalid UTF-8",
    "F6": "the unreadable line",
    "F7": "the line with half of a surrogate pair",
}


def on_resume(name: str, version: str, label: str, is_bare: bool, rules: set[str]) -> OnResume:
    """What it does with damage of these rules. `is_bare`: the rollout has no envelopes, as until September 2025."""
    agent = f"{name} {version}".strip()
    if is_bare:
        return OnResume(agent, "refuses", ("the whole session",), label, error=BARE)
    loses = tuple(text for rule, text in _LOSSES.items() if rule in rules)
    return OnResume(agent, "as-is", loses, label)
