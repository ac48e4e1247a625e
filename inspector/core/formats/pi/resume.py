"""What pi does on resume with damage in a file, beside what its request tells.

Facts: pi-coding-agent 0.73.1 and 0.87.1, `core/session-manager.ts` (`loadEntriesFromFile`), run against a provider on
the loopback address. A line that is no JSON is passed over, with all that stands on it, and what hung off it is cut off
from what came before. Since 0.84.4 (its changelog) a line end is put behind a torn one; before, the next entry was
written onto it. A circle of parents is walked without end.
"""

from inspector.core.formats.bases.on_resume import BROKEN_CHAIN, ENDLESS, UNREAD_JSON, OnResume, losses
from inspector.core.index.session import Session
from inspector.core.known_texts.versions import is_older_version

_LOSSES = {
    **BROKEN_CHAIN,
    "G4": "the earlier of two entries with one id",
    **UNREAD_JSON,
    "F2": "all that stands on the line of the torn entry",
    "F4": "the entry that is split over several lines",
}
_ENDS_TORN_LINES = "0.84.4"
_NEXT = "the next entry, which it writes onto the torn line"


def on_resume(session: Session, rules: set[str]) -> OnResume:
    """See `Agent.on_resume`. A version that is not known is a newer one."""
    agent, label = f"pi {session.version}".strip(), session.agent or "pi"
    if "G2" in rules:
        return OnResume(agent, "refuses", ENDLESS, label)
    loses = losses(_LOSSES, rules)
    if "F1" in rules and is_older_version(session.version, _ENDS_TORN_LINES):
        loses = (*loses, _NEXT)
    return OnResume(agent, "as-is", loses, label)
