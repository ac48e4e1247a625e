"""What each provider accepts: PROFILES is the table, a module a provider."""

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
)
from inspector.core.profiles.profile import Profile

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        anthropic.PROFILE,
        anthropic_prefix_bound.PROFILE,
        openai_chat.PROFILE,
        openai_responses.PROFILE,
        gemini.PROFILE,
        bedrock_converse.PROFILE,
        mistral.PROFILE,
        lax.PROFILE,
    )
}


def profile_named(name: str) -> Profile:
    """Raises UnknownName."""
    if name not in PROFILES:
        raise UnknownName(f"There is no profile called {name}; there are {', '.join(PROFILES)}.")
    return PROFILES[name]
