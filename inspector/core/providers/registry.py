"""The profiles by name, and the profile that applies to a provider and a model as logs name them.

PROFILES, TEMPLATE_PROFILES and PROVIDER_NAMES_BY_API are the tables.

Sources of the names: cline/cline sdk/packages/llms/src/providers/builtins.ts and providers.generated.ts (the family of
each says which API it speaks) and apps/vscode/src/shared/api.ts; neovateai/neovate-code src/provider;
anomalyco/opencode packages/opencode/src/provider; langchain `model_provider`; pydantic-ai `provider_name`;
MoonshotAI/kimi-code packages/agent-core-v2/src/human/llm/protocol (`provider` of an `llm.request` is the protocol).
"""

import re
from functools import lru_cache

from inspector.core.errors import UnknownName
from inspector.core.lazy import lazy_regex
from inspector.core.providers.anthropic import profiles as anthropic
from inspector.core.providers.bedrock_converse import profiles as bedrock_converse
from inspector.core.providers.gemini import profiles as gemini
from inspector.core.providers.openai_chat import chat_template_profiles
from inspector.core.providers.openai_chat import profiles as openai_chat
from inspector.core.providers.openai_responses import profiles as openai_responses
from inspector.core.providers.profile import Profile

PROFILES = {
    profile.name: profile
    for profile in (
        anthropic.PROFILE,
        anthropic.PREFIX_BOUND_PROFILE,
        openai_chat.PROFILE,
        openai_responses.PROFILE,
        openai_responses.OUTPUT_AFTER_CALL_PROFILE,
        gemini.PROFILE,
        bedrock_converse.PROFILE,
        openai_chat.MISTRAL_PROFILE,
        openai_chat.LAX_PROFILE,
    )
}
# The chat templates of local servers. They are asked only by name: nobody sends a history to all of them.
TEMPLATE_PROFILES = {profile.name: profile for profile in chat_template_profiles.TEMPLATE_PROFILES}
_RULES_DECIDED_BY_VALUE = ("K4", "K7")


def profiles_refusing(rule: str, value: str, case: str = "", preferred: str = "") -> tuple[Profile, ...]:
    """Return the profiles that refuse an anomaly, see Profile.refuses.

    The profile called `preferred` comes before the others. The result is cached for equal anomalies.
    """
    return _profiles_refusing(rule, hit_value_if_decisive(rule, value), case, preferred)


def hit_value_if_decisive(rule: str, value: str) -> str:
    """Return `value` where the answer of a profile to a rule depends on it, else ""."""
    return value if rule in _RULES_DECIDED_BY_VALUE else ""


@lru_cache(maxsize=256)
def _profiles_refusing(rule: str, value: str, case: str, preferred: str) -> tuple[Profile, ...]:
    own = [TEMPLATE_PROFILES[preferred]] if preferred in TEMPLATE_PROFILES else []
    refusing = (profile for profile in (*own, *PROFILES.values()) if profile.refuses(rule, value, case))
    return tuple(sorted(refusing, key=lambda profile: profile.name != preferred))


def profile_named(name: str) -> Profile:
    """Return a profile by its name. Raises UnknownName."""
    known = PROFILES | TEMPLATE_PROFILES
    if name not in known:
        raise UnknownName(f"There is no profile {name}; the profiles are {', '.join(known)}.")
    return known[name]


def responses_profile_name(*named: str) -> str:
    """Return the Responses API profile of a server, by the provider and the model that a log names."""
    in_order = openai_responses.OUTPUT_AFTER_CALL_PROFILE
    is_in_order = any(in_order.models in name.lower() for name in named)
    return in_order.name if is_in_order else "openai-responses"


def is_of_openai(provider: str, model: str) -> bool:
    """Return whether a provider and a model, as a log names them, may be OpenAI's. A text that is "" names none."""
    return (not provider or any(each in provider.lower() for each in _OF_OPENAI)) and (
        not model or bool(_OPENAI_MODEL.search(model))
    )


PROVIDER_NAMES_BY_API: dict[str, tuple[str, ...]] = {
    "anthropic": tuple(
        "anthropic claude-code anthropic-compatible minimax minimax-cn minimax-coding-plan minimax-cn-coding-plan "
        "kimi-for-coding freemodel subconscious thinkingmachines google-vertex-anthropic".split()
    ),
    "openai-responses": tuple(
        "openai-native openai-codex openai-codex-cli openai_responses openai-responses azure-openai-responses meta "
        "perplexity-agent vivgrid".split()
    ),
    "gemini": tuple(
        "gemini google google-genai google_genai google-vertex vertex vertexai google-gemini google-gla "
        "google-cloud".split()
    ),
    "bedrock-converse": tuple("bedrock amazon-bedrock aws-bedrock bedrock_converse".split()),
    "mistral": tuple("mistral mistralai mistral_ai".split()),
    "openai-chat": tuple(
        "openai openai-compatible openai_legacy azure azure-openai openrouter cline cline-pass deepseek moonshot "
        "moonshotai moonshotai-cn kimi zhipuai zai zai-coding-plan xai groq together fireworks cerebras sambanova "
        "nebius baseten huggingface siliconflow modelscope volcengine doubao qwen qwen-code alibaba aihubmix requesty "
        "litellm vercel-ai-gateway github-copilot github-models vscode-lm ollama lmstudio nvidia opencode "
        "huawei-cloud-maas sapaicore asksage oca hicap nousResearch wandb v0 dify poe helicone perplexity kilo".split()
    ),
}
_BY_PROVIDER = {name.lower(): profile for profile, names in PROVIDER_NAMES_BY_API.items() for name in names}
# The profile by a part of the model's name, for logs that name no provider. A gateway to Claude returns its refusals.
_BY_MODEL = (("claude", "anthropic"), ("gemini", "gemini"), ("gpt-", "openai-chat"))
_CLAUDE = "claude"
_OF_OPENAI = ("openai", "azure", "copilot")
_OPENAI_MODEL = lazy_regex(r"(?<![a-z0-9])(gpt-?\d|o\d|codex|chatgpt|computer-use)", re.IGNORECASE)


def api_name_of_provider(provider: str, model: str = "") -> str:
    """Return the API of a provider by the name of its profile, "" for a provider that is not known."""
    api = _BY_PROVIDER.get(provider.strip().lower(), "")
    # Google's cloud accepts requests to Claude in the format of Anthropic.
    return "anthropic" if api == "gemini" and _CLAUDE in model.lower() else api


def profile_name_of(provider: str, model: str = "") -> str:
    """Return the profile for what is sent to this model of this provider, "" where neither name is known."""
    api, model = api_name_of_provider(provider, model), model.lower()
    if api == "openai-chat":
        return "anthropic" if _CLAUDE in model else api
    return api or next((profile for part, profile in _BY_MODEL if part in model), "")
