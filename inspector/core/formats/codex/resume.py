"""What Codex does on resume with a damaged rollout, by build.

`ensure_call_outputs_present` and `remove_orphan_outputs` (openai/codex, codex-rs/core/src/context_manager/normalize.rs
@0803cc5) mend the list before every request, by sets of ids: neither order nor repetition matters to them. Where a
custom tool's or a local shell's output is missing, and for every orphan, they go through `error_or_panic` (util.rs),
which ends a debug or alpha build. Lines that do not parse are skipped and counted.
"""

from __future__ import annotations

from inspector.core.formats.bases.terms import OnResume

_UNANSWERED = frozenset({"D1", "D2", "D3", "D4", "D5", "C1"})
_ORPHANS = frozenset({"R1", "R8", "R12", "C2"})
_LOSSES = {
    "R1": "results whose call is not there",
    "R8": "the result that answers no call",
    "R12": "results whose call is on another branch",
    "C2": "results whose call was compacted away",
    "K6": "the call whose arguments are no text: its line is skipped",
    "F1": "the torn line",
    "F2": "the fused line",
    "F3": "the line of NUL bytes",
    "F4": "the record that is split over several lines",
    "F5": "the line with invalid UTF-8",
    "F6": "the unreadable line",
    "F7": "the line with half of a surrogate pair",
}
_BARE = "the whole session: it does not parse lines of this age"


def on_resume(name: str, version: str, label: str, is_bare: bool, rules: set[str]) -> OnResume:
    """What it does with errors of these rules. `is_bare`: the rollout has no envelopes, as until September 2025."""
    agent = f"{name} {version}".strip()
    if is_bare:
        return OnResume(agent, "refuses", (_BARE,), label)
    loses = tuple(dict.fromkeys(text for rule, text in _LOSSES.items() if rule in rules))
    mended = rules & (_UNANSWERED | _ORPHANS)
    if mended and "alpha" in version:
        return OnResume(agent, "refuses", (), label)
    return OnResume(agent, "mends" if mended else "as-is", loses, label)
