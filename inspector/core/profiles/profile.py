"""The shape of a profile: how a provider reads turns, and which anomalies it refuses in which words."""

from msgspec import Struct

from inspector.core.columns import Role


class Profile(Struct, frozen=True):
    """One provider's rules.

    `joined` are the roles whose neighbouring messages the provider reads as one turn. `results_as` is the role in whose
    turn results are sent: USER (Anthropic) or TOOL (OpenAI). `refusals` gives the error text by rule code, with the
    tokens {message}, {after} (the message behind it), {block} and {id}; a rule that is not in it is accepted.
    `alternates`: two neighbouring messages of one role are refused, so that a result joins the message behind its call.
    """

    name: str
    label: str
    joined: frozenset[Role]
    results_as: Role
    refusals: dict[str, str]
    source: str
    alternates: bool = False

    @property
    def reading(self) -> tuple[bool, Role]:
        """How it divides a history into turns: profiles that agree in this find the same pairs."""
        return Role.ASSISTANT in self.joined, self.results_as

    def reads(self, in_a_row: bool) -> tuple[bool, Role]:
        """The same for a history of which is known whether messages of the assistant stand in a row in it."""
        joins, results_as = self.reading
        return joins and in_a_row, results_as

    def refusal(self, rule: str, message: int, block: int, call_id: str) -> str | None:
        """The error that the provider would answer to this anomaly, or None when it accepts it."""
        text = self.refusals.get(rule)
        return None if text is None else text.format(message=message, after=message + 1, block=block, id=call_id)
