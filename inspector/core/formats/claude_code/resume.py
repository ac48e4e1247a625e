"""What Claude Code does on resume with damage, which its request does not tell of."""

from __future__ import annotations

from inspector.core.formats.bases.terms import OnResume
from inspector.core.formats.claude_code.sends import numbers_of

_LOSSES = {
    "G1": "everything before the break in the chain",
    "G2": "everything before the loop in the chain",
    "G3": "what was said before a turn that it put in itself",
    "F1": "the torn line",
    "F2": "the fused line",
    "F3": "the line of NUL bytes",
    "F4": "the record that is split over several lines",
    "F5": "the line with invalid UTF-8",
    "F6": "the unreadable line",
}


def on_resume(name: str, version: str, label: str, rules: set[str]) -> OnResume:
    """Lines that are no JSON are skipped; where the chain breaks, what is older is not loaded."""
    agent = f"{name} {version}".strip()
    loses = tuple(text for rule, text in _LOSSES.items() if rule in rules)
    if not numbers_of(version):
        return OnResume(agent, "unknown", loses, label)
    return OnResume(agent, "mends" if rules else "as-is", loses, label)
