"""Whose rules a provider and a model stand for, by the names that logs give them: PROVIDERS is the table.

Sources of the names: cline/cline sdk/packages/llms/src/providers/builtins.ts and providers.generated.ts (the family of
each says which API it speaks) and apps/vscode/src/shared/api.ts; neovateai/neovate-code src/provider;
anomalyco/opencode packages/opencode/src/provider; langchain `model_provider`; MoonshotAI/kimi-code
packages/agent-core-v2/src/human/llm/protocol (`provider` of an `llm.request` is the protocol).
"""

PROVIDERS: dict[str, tuple[str, ...]] = {
    "anthropic": tuple(
        "anthropic claude-code anthropic-compatible minimax minimax-cn minimax-coding-plan minimax-cn-coding-plan "
        "kimi-for-coding freemodel subconscious thinkingmachines google-vertex-anthropic".split()
    ),
    "openai-responses": tuple(
        "openai-native openai-codex openai-codex-cli openai_responses openai-responses azure-openai-responses meta "
        "perplexity-agent vivgrid".split()
    ),
    "gemini": tuple("gemini google google-genai google_genai google-vertex vertex vertexai google-gemini".split()),
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
_BY_PROVIDER = {name.lower(): profile for profile, names in PROVIDERS.items() for name in names}
# What a model's name tells where no provider is named. Whoever passes a request on to Claude passes its refusals back.
_BY_MODEL = (("claude", "anthropic"), ("gemini", "gemini"), ("gpt-", "openai-chat"))
_CLAUDE = "claude"


def provider_api(provider: str, model: str = "") -> str:
    """The API that is spoken to a provider, by the name of its profile; "" for one that is not known."""
    api = _BY_PROVIDER.get(provider.strip().lower(), "")
    # Google's cloud takes Claude's requests in Anthropic's own shape.
    return "anthropic" if api == "gemini" and _CLAUDE in model.lower() else api


def profile_of(provider: str, model: str = "") -> str:
    """The profile that judges what is sent to this model of this provider, "" where the names tell nothing."""
    api, model = provider_api(provider, model), model.lower()
    if api == "openai-chat":
        return "anthropic" if _CLAUDE in model else api
    return api or next((profile for part, profile in _BY_MODEL if part in model), "")
