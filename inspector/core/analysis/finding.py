"""What a rule reports: one instance of one class of anomaly."""

from enum import IntEnum

from msgspec import Struct

from inspector.core.model.views import RecordLocation
from inspector.core.providers.registry import profiles_refusing


class Severity(IntEnum):
    """How much a finding matters to the session's own provider and agent."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class RefusalQuery(Struct, frozen=True, gc=False):
    """What the error texts of those who refuse an anomaly are made of; `profile` is the session's own.

    `message` and `block` are the provider's numbers; `case` and `value` are those of the hit.
    """

    profile: str
    message: int
    block: int
    case: str = ""
    value: str = ""


class Finding(Struct, frozen=True, kw_only=True, gc=False):
    """One anomaly. `id` stays the same while the log does: choices and undo are keyed by it.

    `asked` is None where no provider is asked. `adopts`: a result that another log holds mends it. `log` names the log
    of a subagent that it is in, "" for the log itself.
    """

    id: str
    rule: str
    slug: str
    severity: Severity
    message: str
    place: RecordLocation
    call_id: str | None = None
    tool: str | None = None
    refusal_query: RefusalQuery | None = None
    strategies: tuple[str, ...] = ("leave",)
    default: str = "leave"
    adopts: bool = False
    log: str = ""

    @property
    def refused_by(self) -> dict[str, str]:
        """Which profiles refuse it, each in its own words; the session's own first.

        Worded when it is asked for: the sentences of all of them are kilobytes, and findings can be a hundred thousand.
        """
        asked = self.refusal_query
        if asked is None:
            return {}
        return {
            profile.name: profile.refusal_text(self.rule, asked.message, asked.block, self.call_id or "", asked.case)
            or ""
            for profile in profiles_refusing(self.rule, asked.value, asked.case, asked.profile)
        }
