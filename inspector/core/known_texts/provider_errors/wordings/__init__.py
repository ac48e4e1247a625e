"""The known wordings by who speaks: a profile, or "" for programs. The first that fits is taken, in this order."""

from inspector.core.known_texts.provider_errors.wordings import (
    anthropic,
    bedrock_converse,
    gemini,
    mistral,
    openai_chat,
    openai_responses,
    programs,
)
from inspector.core.known_texts.provider_errors.wordings.wording import ErrorWording

WORDINGS_BY_PROFILE: dict[str, tuple[ErrorWording, ...]] = {
    "anthropic-prefix-bound": anthropic.PREFIX_BOUND_WORDINGS,
    "anthropic": anthropic.WORDINGS,
    "openai-responses": openai_responses.WORDINGS,
    "gemini": gemini.WORDINGS,
    "bedrock-converse": bedrock_converse.WORDINGS,
    "mistral": mistral.MISTRAL_WORDINGS,
    "openai-chat": openai_chat.WORDINGS,
    "": programs.PROGRAM_WORDINGS,
}
