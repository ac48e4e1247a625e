"""What other providers than a session's own would refuse: asked where a log may go to any of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from inspector.core.formats.bases.agent import agent_of
from inspector.core.formats.bases.format import Format
from inspector.core.index.columns import Columns, Role
from inspector.core.profiles import PROFILES
from inspector.core.profiles.profile import Profile
from inspector.core.rules import RULES
from inspector.core.scene import CheckedThread, Match
from inspector.core.scene.finding import Severity


def other_profiles(format: Format, assumed: bool) -> list[Profile]:
    """Who else may be sent a log: API messages anyone; an agent's log its own provider, or those that it may mean."""
    return (
        list(PROFILES.values())
        if format.is_provider_api
        else [PROFILES[name] for name in agent_of(format).supported_profiles if assumed]
    )


def warnings_of_other_profiles(
    others: list[Profile],
    own: Profile,
    threads: list[CheckedThread],
    judge_as: Callable[[Profile], list[CheckedThread]],
) -> list[CheckedThread]:
    """What only others than the session's own profile, which judged `threads`, refuse: as warnings."""
    known = {(hit.record, hit.ordinal) for judged in threads for hit in judged.matches}
    readings: dict[tuple[bool, Role], list[Profile]] = {}
    in_a_row = any(_has_assistants_in_a_row(each.context.columns, each.context.thread.path) for each in threads)
    if not in_a_row and all(judged.context.pairing.is_clean for judged in threads):
        return []  # A history without a flaw reads the same to all of them.
    for profile in others:
        if profile.turn_rules_for(in_a_row) != own.turn_rules_for(in_a_row):
            readings.setdefault(profile.turn_rules_for(in_a_row), []).append(profile)
    found = []
    # Who also joins neighbouring messages of the assistant finds an anomaly nowhere else than who does not; all that a
    # stand-in for one of several calls with one id can add is a warning at a place in a log that is broken anyway.
    exhausted = {results_as for joins, results_as in (own.turn_rules_for(in_a_row),) if not joins}
    for (joins, results_as), profiles in sorted(readings.items()):
        if joins and results_as in exhausted:
            continue
        refused = {rule for profile in profiles for rule in profile.refusals}
        new = 0
        for judged in judge_as(profiles[0]):
            unknown = [hit for hit in judged.matches if (hit.record, hit.ordinal) not in known]
            theirs = [hit for hit in unknown if hit.rule in refused and _is_told_of_others(hit)]
            new += len(unknown)
            for hit in theirs:
                hit.severity = Severity.WARNING
                known.add((hit.record, hit.ordinal))
            if theirs:
                found.append(CheckedThread(judged.context, theirs))
        if not joins and not new:
            exhausted.add(results_as)
    return found


def _is_told_of_others(hit: Match) -> bool:
    """Not what is legal at one provider and not at another: told of all, every id would be a warning."""
    return hit.severity is None and not RULES[hit.rule].by_profile


def _has_assistants_in_a_row(columns: Columns, path: array[int]) -> bool:
    """Whether two messages of the assistant stand next to one another: else nothing tells who would join them."""
    roles = bytes(map(columns.roles.__getitem__, path)).translate(None, bytes((Role.OPAQUE, Role.LINK)))
    return bytes((Role.ASSISTANT, Role.ASSISTANT)) in roles
