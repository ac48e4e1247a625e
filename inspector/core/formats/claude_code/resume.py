"""What Claude Code does on resume with a damaged session, by version."""

from __future__ import annotations

import re

from inspector.core.formats.bases.terms import OnResume

MENDS_SINCE = (2, 1, 20)
DROPS_SERVER_CALLS_SINCE = (2, 1, 80)
# It sends signed reasoning and the results of the provider's own tools as they are; of images it leaves the oldest out
# when there are too many, and makes none smaller.
_SENT_AS_IT_IS = frozenset({"T1", "T2", "T3", "X2", "V1"})
LOSSES = {
    "D1": "the unanswered call of your last turn, which is dropped on load",
    "R2": "a result that came before its call, replaced by a placeholder",
    "R4": "a result that came too late, replaced by a placeholder",
    "R1": "results whose call is not there",
    "R12": "results whose call is on another branch",
    "C2": "results whose call was compacted away",
    "R7": "all but the first of several results",
    "K1": "calls that reuse an id, with their results",
    "X1": "the call to the provider's own tool that has no result",
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
    if rules & _SENT_AS_IT_IS or ("X1" in rules and numbers < DROPS_SERVER_CALLS_SINCE):
        return OnResume(agent, "refuses", (), label)
    return OnResume(agent, "mends", loses, label)
