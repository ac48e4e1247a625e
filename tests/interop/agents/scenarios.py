"""What happens to a session: SCENARIOS is the table, by name. Each is worked through, ends or dies, and is broken."""

from dataclasses import dataclass

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import BYTES, CHARACTERS, DAMAGES, EDITS
from tests.interop.agents.provider.script import Call, Say

HEALTHY = "healthy"
STARTED = "started"  # the file that a slow tool writes into the project's folder when it runs
SLOW = f"touch {STARTED}; sleep 100; "


@dataclass(frozen=True)
class Scenario:
    """`exchanges` are the words that the model has a tool say, side by side within one.

    A `slow` word is never said: the agent is killed while the tool runs. With `unanswered` it is killed while it waits
    for the model. `continues` names the scenario whose session was resumed once before. `broken` is what is done to the
    log in the end, of the session that `spoken` names.
    """

    name: str
    exchanges: tuple[str, ...] = ("alpha", "beta gamma")
    slow: str = ""
    unanswered: bool = False
    continues: str = ""
    broken: str = ""
    spoken: str = HEALTHY

    @property
    def dies(self) -> bool:
        return bool(self.slow or self.unanswered)

    @property
    def base(self) -> str:
        """The scenario whose session it rests on."""
        return self.continues or (self.name if self.dies else self.spoken)

    @property
    def real(self) -> dict[str, str]:
        """What the tool says to each word: a text that no command holds."""
        return {word: f"{word}-real" for exchange in self.exchanges for word in exchange.split()}

    def script(self, agent: Agent) -> list[Say]:
        says = [
            Say(f"Now {exchange}.", tuple(self._call(agent, word) for word in exchange.split()), "I should look.")
            for exchange in self.exchanges
        ]
        return [*says, Say("All said.", never=self.unanswered)]

    def _call(self, agent: Agent, word: str) -> Call:
        say = f"printf '%s-%s\\n' {word} real"
        return agent.call(f"call_{word}", SLOW + say if word == self.slow else say)


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario(HEALTHY),
        Scenario("killed", ("alpha", "beta"), slow="beta"),
        Scenario("killed in second", ("alpha", "beta gamma"), slow="gamma"),
        Scenario("killed waiting", unanswered=True),
        Scenario("killed, went on", ("alpha", "beta"), slow="beta", continues="killed"),
        *(Scenario(how, broken=how) for how in (*EDITS, *DAMAGES, *BYTES)),
        *(Scenario(how, ("alpha",), broken=how, spoken="one call") for how in CHARACTERS),
    )
}
