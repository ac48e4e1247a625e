"""The shape of a profile: how a provider reads turns, and which anomalies it refuses in which words."""

from msgspec import Struct

from inspector.core.columns import Role


class Profile(Struct, frozen=True):
    """One provider's rules.

    `joined` are the roles whose neighbouring messages the provider reads as one turn. `results_as` is the role in whose
    turn results are sent: USER (Anthropic) or TOOL (OpenAI). `refusals` gives the error text by rule code, with the
    tokens {message}, {block}, {id} and {ids}; a rule that is not in it is accepted.
    """

    name: str
    label: str
    joined: frozenset[Role]
    results_as: Role
    refusals: dict[str, str]
    source: str

    def refusal(self, rule: str, message: int, block: int, call_id: str) -> str | None:
        """The error that the provider would answer to this anomaly, or None when it accepts it."""
        text = self.refusals.get(rule)
        return None if text is None else text.format(message=message, block=block, id=call_id)
