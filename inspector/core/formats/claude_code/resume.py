"""What Claude Code does on resume with a damaged session, by version."""

from __future__ import annotations

import re

from inspector.core.formats.bases.terms import OnResume

MENDS_SINCE = (2, 1, 20)
LOSSES = {
    "D1": "the unanswered call of your last turn, which is dropped on load",
    "R2": "a result that came before its call, replaced by a placeholder",
    "R4": "a result that came too late, replaced by a placeholder",
    "R1": "results whose call is not there",
    "R12": "results whose call is on another branch",
    "C2": "results whose call was compacted away",
    "R7": "all but the first of several results",
    "K1": "calls that reuse an id, with their results",
    "G1": "everything before the break in the chain",
    "G2": "everything before the loop in the chain",
    "F1": "the torn line",
    "F2": "the fused line",
    "F3": "the line of NUL bytes",
    "F4": "the record that is split over several lines",
    "F5": "the line with invalid UTF-8",
    "F6": "the unreadable line",
}


def on_resume(name: str, version: str, label: str, rules: set[str]) -> OnResume:
    """What it does with findings of these rules; 2.1.20 is the first version that mends pairs before it sends them."""
    agent = f"{name} {version}".strip()
    loses = tuple(dict.fromkeys(text for rule, text in LOSSES.items() if rule in rules))
    if not rules:
        return OnResume(agent, "as-is", (), label)
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if not numbers:
        return OnResume(agent, "unknown", loses, label)
    if numbers < MENDS_SINCE and not rules <= {"D1", "G1", "G2", "F1", "F6"}:
        return OnResume(agent, "refuses", loses, label)
    return OnResume(agent, "mends", loses, label)
