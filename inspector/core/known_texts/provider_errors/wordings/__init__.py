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
from inspector.core.known_texts.provider_errors.wordings.wording import Wording

WORDINGS: dict[str, tuple[Wording, ...]] = {
    "anthropic-prefix-bound": anthropic.PREFIX_BOUND,
    "anthropic": anthropic.WORDINGS,
    "openai-responses": openai_responses.WORDINGS,
    "gemini": gemini.WORDINGS,
    "bedrock-converse": bedrock_converse.WORDINGS,
    "mistral": mistral.WORDINGS,
    "openai-chat": openai_chat.WORDINGS,
    "": programs.WORDINGS,
}
