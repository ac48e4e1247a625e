"""The finding: one anomaly as a report shows it."""

from enum import IntEnum

from msgspec import Struct

from inspector.core.model.views import RecordLocation
from inspector.core.providers.registry import profiles_refusing

# Here, because the first rows of a window are built without the rules.
RECOVER_STRATEGY = "recover"
PLACEHOLDER_RULE = "R13"  # finds the placeholders that replace results


class Severity(IntEnum):
    """How much a finding matters to the provider and the agent of the session."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        return self.name.lower()


class RefusalTextValues(Struct, frozen=True, gc=False):
    """The values from which the error texts of providers that refuse an anomaly are made.

    `profile` is the profile of the session. `message` and `block` are the numbers that the provider uses. `case` and
    `value` are those of the match.
    """

    profile: str
    message: int
    block: int
    case: str = ""
    value: str = ""


class Finding(Struct, frozen=True, kw_only=True, gc=False):
    """One anomaly.

    `id` does not change while the log does not, because choices and undo are keyed by it. `refusal_values` is None when
    no provider is involved. `adopts` says whether a result from another log repairs it. `recovers` says where the log
    holds the result of the call outside of the conversation, "" for nowhere. `log` names the log of the subagent that
    contains it, "" for the log itself.
    """

    id: str
    rule: str
    slug: str
    severity: Severity
    message: str
    place: RecordLocation
    call_id: str | None = None
    tool: str | None = None
    refusal_values: RefusalTextValues | None = None
    strategies: tuple[str, ...] = ("leave",)
    default: str = "leave"
    adopts: bool = False
    recovers: str = ""
    log: str = ""

    @property
    def refused_by(self) -> dict[str, str]:
        """The error text of each profile that refuses the anomaly; the profile of the session comes first.

        The texts are made on access. Together they take kilobytes, and a report can hold a hundred thousand findings.
        """
        query = self.refusal_values
        if query is None:
            return {}
        return {
            profile.name: profile.refusal_text(self.rule, query.message, query.block, self.call_id or "", query.case)
            or ""
            for profile in profiles_refusing(self.rule, query.value, query.case, query.profile)
        }
