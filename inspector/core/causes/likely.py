"""The likely cause of what is wrong with a session, and whether a newer version of its agent mends it by itself."""

import re
from functools import cache

from msgspec import Struct

from inspector.core.causes.cause import Cause
from inspector.core.causes.known import CAUSES
from inspector.core.evidence.effects import Effect, effect_of
from inspector.core.judging.check import SessionReport, Verdict
from inspector.core.judging.findings import Kind
from inspector.core.judging.resume.outcome import outcome_of
from inspector.core.known_texts.versions import is_older, numbers_of
from inspector.core.rules import RULES
from inspector.core.scene.finding import Severity

UPGRADE = "Upgrade the agent to {version} or newer, and resume: it mends the log by itself. No file needs a change."
RESUME = "Resume it with the agent: it mends the log by itself. No file needs a change."
# What looks like a version and is no other number that somebody's log has there.
_MINOR = re.compile(r"v?(\d{1,3}\.\d{1,3})\b")


class Likely(Struct, frozen=True):
    """The likely cause: a row of the table, and whether an agent mends the log by itself.

    `heals`: the one that wrote it does, as far as its model tells. `upgrade_to`: the version from which it is known to,
    "" where the log is no older, or none is known: the model of an agent knows few of its versions apart.
    """

    cause: Cause
    upgrade_to: str = ""
    heals: bool = False

    @property
    def advice(self) -> str:
        """What to tell the person, as a sentence in which the {version} is to be put."""
        return UPGRADE if self.upgrade_to else RESUME if self.heals else self.cause.advice


def known_cause(session: SessionReport) -> Cause | None:
    """The cause that the first finding of weight points to, None where nothing is wrong or none is known."""
    if not session.verdict.is_trouble:
        return None
    # Findings are many, and their classes and tools few.
    kinds = dict.fromkeys((each.rule, each.tool) for each in session.findings.kinds if _weighs(each))
    format = session.threads[0].scene.format.name
    return next(
        (cause for rule, tool in kinds for cause in _causes_of(rule, format) if _fits(cause, tool, session)), None
    )


def likely_cause(session: SessionReport) -> Likely | None:
    """The known cause, and whether a version of the agent mends the log, for which that is asked once more."""
    cause = known_cause(session)
    if cause is None:
        return None
    heals = session.verdict == Verdict.HEALS_ITSELF
    newer = cause.healed_by if is_older(session.session.version, cause.healed_by) else ""
    return Likely(cause, newer if newer and (heals or _heals(session, newer, cause)) else "", heals)


def fingerprint(session: SessionReport) -> str:
    """What sessions with one bug have in common: the known cause, else class, agent, version, tool and kind of error.

    "" where nothing is wrong.
    """
    if not session.verdict.is_trouble:
        return ""
    cause = known_cause(session)
    if cause is not None:
        return cause.id
    first = next(filter(_weighs, session.findings.kinds), None)
    if first is None:
        return session.verdict.word
    found = _MINOR.match(session.session.version)
    version = found[1] if found else ""
    effect = effect_of(first.tool)
    tool = "" if effect == Effect.UNKNOWN else effect.value
    error = session.error_kind.name if session.error_kind else ""
    return " ".join(filter(None, (first.rule, session.threads[0].scene.format.name, version, tool, error)))


def _weighs(kind: Kind) -> bool:
    return kind.severity == Severity.ERROR or RULES[kind.rule].of_error


@cache
def _causes_of(rule: str, format: str) -> list[Cause]:
    return [each for each in CAUSES if rule in each.rules.split() and (not each.formats or format in each.formats)]


def _fits(cause: Cause, tool: str, session: SessionReport) -> bool:
    version = session.session.version
    return (
        (not cause.since or numbers_of(version) >= numbers_of(cause.since))
        and (not cause.before or is_older(version, cause.before))
        and (cause.effect is None or effect_of(tool) == cause.effect)
        and (not cause.error or re.search(cause.error, session.recorded_error, re.IGNORECASE) is not None)
    )


def _heals(session: SessionReport, version: str, cause: Cause) -> bool:
    """Whether the agent of that version sends a valid history of it and loses nothing, as far as its model tells.

    The model is asked where all that is wrong has that cause: working out what is sent takes as long as judging.
    """
    main = session.threads[0]
    errors = {kind.rule for kind in session.findings.kinds if kind.severity == Severity.ERROR}
    return errors.issubset(cause.rules.split()) and outcome_of(main.scene.resumed_by(version), main.hits, errors).heals
