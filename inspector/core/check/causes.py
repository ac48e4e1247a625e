"""The likely cause of what is wrong with a session, and whether its agent repairs the log by itself."""

import re
from functools import cache

from msgspec import Struct

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.tool_effects import ToolEffect, tool_effect
from inspector.core.check.check import SessionReport, Verdict, outcome_on_resume
from inspector.core.check.findings import FindingGroupKey, severity_of_match
from inspector.core.check.known_causes import KNOWN_CAUSES, KnownCause
from inspector.core.lazy import lazy_regex
from inspector.core.model.columnar_index import Columns, Role
from inspector.core.rules import RULES
from inspector.core.text import is_older_version, version_numbers
from inspector.core.translation import tr

UPGRADE_ADVICE = tr(
    "Upgrade the agent to version {version} or newer, which repairs the log on resume. To continue with an "
    "older version, repair the log first."
)
RECOVER_ADVICE = tr(
    "Repair the log before you resume the session. Otherwise, the agent does not send the results that are "
    "stored outside the conversation."
)
RESUME_ADVICE = tr("Resume the session. The agent repairs the history itself, and no file needs to be changed.")
_REPEATED_IDS = ("K1", "K2")
# Matches a version, and no other number that a log may have in this field.
_MINOR = lazy_regex(r"v?(\d{1,3}\.\d{1,3})\b")


class LikelyCause(Struct, frozen=True):
    """The likely cause of a broken session, and whether its agent repairs the log by itself.

    `agent_repairs` is true where the verdict says that the agent that wrote the log repairs it. `upgrade_to` is the
    first version that repairs it where the one that wrote the log does not, "" where no such version is known.
    `is_recoverable` is true where a repair recovers results that the agent would not send.
    """

    cause: KnownCause
    upgrade_to: str = ""
    agent_repairs: bool = False
    is_recoverable: bool = False

    @property
    def advice(self) -> str:
        """The advice for the person, a sentence with the placeholder {version}."""
        if self.is_recoverable:
            return RECOVER_ADVICE
        return UPGRADE_ADVICE if self.upgrade_to else RESUME_ADVICE if self.agent_repairs else self.cause.advice


def find_known_cause(session: SessionReport) -> KnownCause | None:
    """Return the cause that the first serious finding points to, see `_serious_kinds`.

    None where nothing is wrong, or where no cause is known.
    """
    if not session.verdict.is_trouble:
        return None
    # There are many findings, but few different pairs of rule and tool.
    kinds = dict.fromkeys((kind.rule, kind.tool) for kind in _serious_kinds(session))
    format = session.threads[0].context.format.name
    return next(
        (cause for rule, tool in kinds for cause in _causes_of(rule, format) if _cause_matches(cause, tool, session)),
        None,
    )


def find_likely_cause(session: SessionReport) -> LikelyCause | None:
    """Return the known cause, and whether a version of the agent repairs the log.

    Both follow the verdict: where the session heals itself, no other version is needed. Else the model of the agent is
    run once more, as the newer version. None where no cause is known.
    """
    cause = find_known_cause(session)
    if cause is None:
        return None
    if session.verdict == Verdict.HEALS_ITSELF:
        return LikelyCause(cause, agent_repairs=True)
    newer = cause.self_repair_version
    repairs = is_older_version(session.session.version, newer) and _agent_repairs(session, newer, cause)
    return LikelyCause(cause, newer if repairs else "", is_recoverable=bool(session.recoverable))


def bug_fingerprint(session: SessionReport) -> str:
    """Return a text that is the same for all sessions with one bug, "" where nothing is wrong.

    It is the id of the known cause. Where none is known, it is made of rule, format, version, tool and kind of error.
    """
    if not session.verdict.is_trouble:
        return ""
    cause = find_known_cause(session)
    if cause is not None:
        return cause.id
    first = next(iter(_serious_kinds(session)), None)
    if first is None:
        return session.verdict.word
    match = _MINOR.match(session.session.version)
    version = match[1] if match else ""
    effect = tool_effect(first.tool)
    tool = "" if effect == ToolEffect.UNKNOWN else effect.value
    error = session.error_kind.name if session.error_kind else ""
    return " ".join(filter(None, (first.rule, session.threads[0].context.format.name, version, tool, error)))


def _serious_kinds(session: SessionReport) -> list[FindingGroupKey]:
    """Return the serious kinds of findings in the order of the log, but what the first one follows from before it."""
    kinds = list(filter(_is_serious, session.findings.kinds))
    root = _root_of_first_error(session)
    return sorted(kinds, key=lambda kind: kind.rule != root) if root else kinds


def _root_of_first_error(session: SessionReport) -> str:
    """Return the rule of the damage, the broken link or the repeated id that the first error follows from, or "".

    A damaged or missing record may have held the result of the call before it, or the call of the result after it, if
    the conversation did not go on between them.
    """
    main = session.threads[0]
    errors = [hit for hit in main.matches if severity_of_match(hit, main.context) == Severity.ERROR]
    first = min(errors, key=lambda hit: hit.record, default=None)
    if first is None or first.rule[0] not in "DR":
        return ""
    is_call = first.rule[0] == "D"
    # One of several calls with one id has no result where the agent took it for the result of another.
    same_id = (hit.rule for hit in errors if main.context.match_id(hit) == main.context.match_id(first))
    repeated = next((rule for rule in same_id if rule in _REPEATED_IDS), "")
    if repeated:
        return repeated
    sides = (hit for hit in errors if hit.rule[0] in "FG" and (hit.record > first.record) == is_call)
    # If the conversation goes on before the nearest one, it does before all others.
    root = min(sides, key=lambda hit: abs(hit.record - first.record), default=None)
    return "" if root is None or _goes_on_between(main.context.columns, root.record, first.record) else root.rule


def _goes_on_between(columns: Columns, record: int, other: int) -> bool:
    """Return whether a response follows a message to the model between two records."""
    low, high = sorted((record, other))
    between = columns.roles[low + 1 : high]
    requests = [position for position, role in enumerate(between) if role in (Role.USER, Role.TOOL)]
    return bool(requests) and Role.ASSISTANT in between[requests[0] :]


def _is_serious(kind: FindingGroupKey) -> bool:
    return kind.severity == Severity.ERROR or RULES[kind.rule].of_error


@cache
def _causes_of(rule: str, format: str) -> list[KnownCause]:
    return [
        cause
        for cause in KNOWN_CAUSES
        if rule in cause.rules.split() and (not cause.formats or format in cause.formats)
    ]


def _cause_matches(cause: KnownCause, tool: str, session: SessionReport) -> bool:
    version = session.session.version
    return (
        (not cause.since or version_numbers(version) >= version_numbers(cause.since))
        and (not cause.before or is_older_version(version, cause.before))
        and (cause.effect is None or tool_effect(tool) == cause.effect)
        and (not cause.error or re.search(cause.error, session.recorded_error, re.IGNORECASE) is not None)
    )


def _agent_repairs(session: SessionReport, version: str, cause: KnownCause) -> bool:
    """Return whether the agent of that version sends a valid history of the log and loses nothing.

    The model of the agent is run only where the cause explains all that is wrong: building the request takes as long as
    the check.
    """
    main = session.threads[0]
    errors = {kind.rule for kind in session.findings.kinds if kind.severity == Severity.ERROR}
    return (
        errors.issubset(cause.rules.split())
        and outcome_on_resume(main.context.with_agent_version(version), main.matches, errors).recovers
    )
