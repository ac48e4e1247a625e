"""What each provider accepts: PROFILES is the table, a module a provider."""

from functools import lru_cache

from inspector.core.errors import UnknownName
from inspector.core.profiles import (
    anthropic,
    anthropic_prefix_bound,
    bedrock_converse,
    gemini,
    lax,
    mistral,
    openai_chat,
    openai_responses,
    responses_in_order,
)
from inspector.core.profiles.profile import Profile

PROFILES = {
    profile.name: profile
    for profile in (
        anthropic.PROFILE,
        anthropic_prefix_bound.PREFIX_BOUND_PROFILE,
        openai_chat.PROFILE,
        openai_responses.PROFILE,
        responses_in_order.IN_ORDER_PROFILE,
        gemini.PROFILE,
        bedrock_converse.PROFILE,
        mistral.MISTRAL_PROFILE,
        lax.LAX_PROFILE,
    )
}
_RULES_DECIDED_BY_VALUE = ("K4", "K7")


def profiles_refusing(rule: str, value: str, case: str = "", preferred: str = "") -> tuple[Profile, ...]:
    """The profiles that refuse an anomaly, see Profile.refuses: worked out once for all that are alike.

    The profile called `first` comes before the others, if it is among them.
    """
    return _profiles_refusing(rule, value_if_decisive(rule, value), case, preferred)


def value_if_decisive(rule: str, value: str) -> str:
    """`value` where a profile's answer to a class depends on it, else ""."""
    return value if rule in _RULES_DECIDED_BY_VALUE else ""


@lru_cache(maxsize=256)
def _profiles_refusing(rule: str, value: str, case: str, first: str) -> tuple[Profile, ...]:
    found = (profile for profile in PROFILES.values() if profile.refuses(rule, value, case))
    return tuple(sorted(found, key=lambda profile: profile.name != first))


def profile_named(name: str) -> Profile:
    """Raises UnknownName."""
    if name not in PROFILES:
        raise UnknownName(f"There is no profile called {name}; there are {', '.join(PROFILES)}.")
    return PROFILES[name]


def responses_profile_for(*named: str) -> str:
    """The profile of the Responses API at a server, by what a log names of it: the provider, the model."""
    in_order = responses_in_order.IN_ORDER_PROFILE
    asked = any(in_order.models in each.lower() for each in named)
    return in_order.name if asked else "openai-responses"
