"""A row of the known causes: what it leaves in a log, what happened, and what to tell the person."""

from msgspec import Struct

from inspector.core.evidence.effects import ToolEffect

UNANSWERED_RULES = "D1 D2 D3 D4 D5"
"""The classes of calls without a result."""

REPAIR_ADVICE = "Close the agent, repair the log, and resume the repaired copy."
CHECK_EFFECTS_ADVICE = "Repair the log; before you go on, check what the interrupted call changed: it may have run."
KEEP_NOTE_ADVICE = "Repair the log: the result is kept as a note, since it may be the only trace of what was done."
RELINK_ADVICE = "Repair the log before you go on in it: the older history is in the file, and is linked again."
SALVAGE_ADVICE = (
    "Repair the log: what is damaged is kept beside it. Ask whether the machine crashed or its disk was full."
)
REPLACE_MEDIA_ADVICE = "Have the repair replace the image (strategy replace-media), or go on in a new session."
STRIP_REASONING_ADVICE = (
    "Have the repair take out the reasoning that is refused (strategy strip-reasoning), or go on in a new session."
)
FIX_PROGRAM_ADVICE = "Repair this history, and tell who maintains the program: it will send the next one so, too."


class KnownCause(Struct, frozen=True):
    """One known cause. The fingerprint: classes of findings, which also tell the place in a turn; the formats of the
    agents (any, where none is named); the versions from `since` on and before `before`; what the tool does; a pattern
    of the recorded error. `source` is a public report, below github.com. `healed_by` is the first version that is known
    to mend such a log by itself; whether it does so with one log, the model of the agent is asked.
    """

    id: str
    rules: str
    formats: tuple[str, ...]
    explanation: str
    advice: str
    source: str
    since: str = ""
    before: str = ""
    effect: ToolEffect | None = None
    error: str = ""
    self_repair_version: str = ""

    @property
    def url(self) -> str:
        """Where it was reported."""
        return f"https://github.com/{self.source}"
