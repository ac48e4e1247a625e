"""One agent through the scenarios: what was predicted, what it sent, before and after a repair."""

from collections.abc import Iterator
from pathlib import Path

from tests.interop.agents import ours
from tests.interop.agents.compare import unkept
from tests.interop.agents.outcome import BROKEN, FAILED, Cell, Outcome, Seen
from tests.interop.agents.scenarios import STARTED, Scenario
from tests.interop.agents.workplace import AgentFailed, Workplace

NOT_JUDGED = 3  # the exit code where the product does not know what a log means


def outcomes(place: Workplace, scenarios: list[Scenario]) -> Iterator[Outcome]:
    """The scenarios, each on its own copy of the session that it rests on."""
    made: set[str] = set()
    for scenario in scenarios:
        try:
            if scenario.base not in made:
                write_session(place, scenario)
                made.add(scenario.base)
            place.put_back(scenario.base)
            with ours.at_home(place.home):
                outcome = _outcome(place, scenario)
            yield outcome
        except AgentFailed as error:
            yield Outcome(scenario, Cell(FAILED, str(error)))


def write_session(place: Workplace, scenario: Scenario) -> None:
    """Let the agent write the session that a scenario rests on."""
    place.clear()
    script = scenario.script(place.agent)
    if scenario.slow:
        place.die(script, when=lambda: (place.project / STARTED).exists())
    elif scenario.unanswered:
        place.die(script, when=lambda: not place.provider.script)
    else:
        place.begin(script)
    place.keep(scenario.base)


def _outcome(place: Workplace, scenario: Scenario) -> Outcome:
    if scenario.continues:
        place.resume(place.agent.session(place.log))
    log = place.agent.keepsake(place.log)
    if scenario.broken and not place.agent.breaking.breaks(place.log, scenario.broken):
        return Outcome(scenario, Cell("-", "its log cannot be broken so"))
    place.keep(BROKEN)
    there = place.agent.breaking.results(place.log)
    seen = _resume(place, place.log)
    outcome = Outcome(scenario, seen.agrees(), log=log, seen={BROKEN: seen})
    for name in place.agent.saves:
        place.put_back(BROKEN)
        repair = ours.repaired(place.log, name)
        if repair.code:
            word = "?" if repair.code == NOT_JUDGED else "no"
            outcome.repaired[name] = Cell(word, f"no repair: {repair.reason}")
            continue
        seen = outcome.seen[name] = _resume(place, repair.output or place.log)
        outcome.repaired[name] = _kept(seen, scenario, there)
    return outcome


def _resume(place: Workplace, log: Path) -> Seen:
    """Predict, then resume: the agent may write into the log. What counts is its first request."""
    seen = Seen(ours.predicted(log), None)
    sent = place.resume(place.agent.session(log))
    seen.sent = sent[0] if sent else None
    return seen


def _kept(seen: Seen, scenario: Scenario, there: str) -> Cell:
    """Whether a repair kept its promise, and was predicted."""
    if seen.sent is None:
        return Cell("no", "the agent sent nothing")
    if seen.sent.refused:
        return Cell("no", f"refused: {seen.sent.refused}")
    if missing := unkept(seen.sent.wire.name, seen.sent.messages, scenario.real, there):
        return Cell("no", missing)
    return seen.agrees()
