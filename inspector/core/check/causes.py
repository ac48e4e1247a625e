"""The likely cause of what is wrong with a session, and whether a newer version of its agent mends it by itself.

Merged; to be rewritten:
`causes`: Why a session is broken: known bugs of agents, by what they leave in a log, and what to tell the person.
"""

import re
from functools import cache

from msgspec import Struct

from inspector.core.analysis.finding import Severity
from inspector.core.analysis.tool_effects import ToolEffect, tool_effect
from inspector.core.check.check import SessionReport, Verdict
from inspector.core.check.findings import FindingKind
from inspector.core.check.known_causes import KNOWN_CAUSES, KnownCause
from inspector.core.check.resume import resume_outcome
from inspector.core.rules import RULES
from inspector.core.text import is_older_version, version_numbers

UPGRADE_ADVICE = (
    "Upgrade the agent to {version} or newer, and resume: it mends the log by itself. No file needs a change."
)
RESUME_ADVICE = "Resume it with the agent: it mends the log by itself. No file needs a change."
# What looks like a version and is no other number that somebody's log has there.
_MINOR = re.compile(r"v?(\d{1,3}\.\d{1,3})\b")


class LikelyCause(Struct, frozen=True):
    """The likely cause: a row of the table, and whether an agent mends the log by itself.

    `heals`: the one that wrote it does, as far as its model tells. `upgrade_to`: the version from which it is known to,
    "" where the log is no older, or none is known: the model of an agent knows few of its versions apart.
    """

    cause: KnownCause
    upgrade_to: str = ""
    agent_repairs: bool = False

    @property
    def advice(self) -> str:
        """What to tell the person, as a sentence in which the {version} is to be put."""
        return UPGRADE_ADVICE if self.upgrade_to else RESUME_ADVICE if self.agent_repairs else self.cause.advice


def find_known_cause(session: SessionReport) -> KnownCause | None:
    """The cause that the first finding of weight points to, None where nothing is wrong or none is known."""
    if not session.verdict.is_trouble:
        return None
    # Findings are many, and their classes and tools few.
    kinds = dict.fromkeys((each.rule, each.tool) for each in session.findings.kinds if _is_serious(each))
    format = session.threads[0].context.format.name
    return next(
        (cause for rule, tool in kinds for cause in _causes_of(rule, format) if _cause_matches(cause, tool, session)),
        None,
    )


def find_likely_cause(session: SessionReport) -> LikelyCause | None:
    """The known cause, and whether a version of the agent mends the log, for which that is asked once more."""
    cause = find_known_cause(session)
    if cause is None:
        return None
    heals = session.verdict == Verdict.HEALS_ITSELF
    newer = cause.self_repair_version if is_older_version(session.session.version, cause.self_repair_version) else ""
    return LikelyCause(cause, newer if newer and (heals or _agent_repairs(session, newer, cause)) else "", heals)


def bug_fingerprint(session: SessionReport) -> str:
    """What sessions with one bug have in common: the known cause, else class, agent, version, tool and kind of error.

    "" where nothing is wrong.
    """
    if not session.verdict.is_trouble:
        return ""
    cause = find_known_cause(session)
    if cause is not None:
        return cause.id
    first = next(filter(_is_serious, session.findings.kinds), None)
    if first is None:
        return session.verdict.word
    found = _MINOR.match(session.session.version)
    version = found[1] if found else ""
    effect = tool_effect(first.tool)
    tool = "" if effect == ToolEffect.UNKNOWN else effect.value
    error = session.error_kind.name if session.error_kind else ""
    return " ".join(filter(None, (first.rule, session.threads[0].context.format.name, version, tool, error)))


def _is_serious(kind: FindingKind) -> bool:
    return kind.severity == Severity.ERROR or RULES[kind.rule].of_error


@cache
def _causes_of(rule: str, format: str) -> list[KnownCause]:
    return [
        each for each in KNOWN_CAUSES if rule in each.rules.split() and (not each.formats or format in each.formats)
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
    """Whether the agent of that version sends a valid history of it and loses nothing, as far as its model tells.

    The model is asked where all that is wrong has that cause: working out what is sent takes as long as judging.
    """
    main = session.threads[0]
    errors = {kind.rule for kind in session.findings.kinds if kind.severity == Severity.ERROR}
    return (
        errors.issubset(cause.rules.split())
        and resume_outcome(main.context.with_agent_version(version), main.matches, errors).recovers
    )


# Why a session is broken: known bugs of agents, by what they leave in a log, and what to tell the person.
