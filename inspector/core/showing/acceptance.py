"""Would this provider accept a session as it is stored? Asked of any profile, for any log, also an agent's.

Another API's messages, and an agent's records, are taken to be put into the provider's shape on the way, by a program
that joins what the provider wants joined; the pairing is judged by the provider's own reading.
"""

from collections.abc import Sequence

from inspector.core.judging.check import Report, SessionReport, check_threads
from inspector.core.judging.findings import match_severity
from inspector.core.judging.places import Locator
from inspector.core.profiles import PROFILES, profile_named
from inspector.core.profiles.profile import Profile
from inspector.core.scene import Match, ThreadContext
from inspector.core.scene.finding import Severity
from inspector.core.showing.answers import Acceptance

ALL_PROFILES = "all"


def parse_profile_names(text: str) -> list[str]:
    """Profile names from "all" or "NAME,NAME". Raises UnknownName."""
    if text.strip() == ALL_PROFILES:
        return list(PROFILES)
    return [profile_named(name.strip()).name for name in text.split(",") if name.strip()]


def accepted_by(report: Report, names: Sequence[str]) -> list[dict[str, Acceptance]]:
    """What each of these profiles would answer to the main thread of each session. Raises UnknownName."""
    refused: list[tuple[int, int, Acceptance, Match]] = []
    found: list[dict[str, Acceptance]] = []
    for session in report.sessions:
        answers = {}
        for name in names:
            answers[name], hit = _asked(report, session, profile_named(name))
            if hit is not None:
                refused.append((hit.record, len(refused), answers[name], hit))
        found.append(answers)
    places = Locator(report.log)
    for record, _, answer, hit in sorted(refused, key=lambda each: each[:2]):
        pointer = report.format.pointer(report.log.columns, record, hit.ordinal) if hit.ordinal >= 0 else ""
        answer.place = places.locate(record, pointer)
    return found


def _asked(report: Report, session: SessionReport, profile: Profile) -> tuple[Acceptance, Match | None]:
    """One profile's answer without its place, and the first anomaly that it refuses."""
    log, format = report.log, report.format
    not_run = profile.unchecked_rules(report.checks_skipped)
    if not session.threads:
        return Acceptance(None, not_run=tuple(report.checks_skipped)), None
    judged = session.threads
    if judged[0].context.profile is not profile:
        judged = check_threads(
            format, log.columns, log.raw, session.session, profile, judged[0].context.live, include_side_threads=False
        )
    refused: list[tuple[Match, ThreadContext]] = [
        (hit, each.context)
        for each in judged
        for hit in each.matches
        if each.context.profile is profile and match_severity(hit, each.context) == Severity.ERROR
    ]
    if not refused:
        return Acceptance(None if not_run else True, not_run=not_run), None
    hit, scene = min(refused, key=lambda pair: pair[0].record)
    call_id = scene.match_id(hit)
    error = profile.refusal_text(hit.rule, scene.message_number(hit.record), max(hit.ordinal, 0), call_id, hit.case)
    return Acceptance(False, hit.rule, error or hit.message, hit.message, None, len(refused), not_run), hit
