"""Words that identify nobody: those of formats, of providers' texts, of this program's sentences, and model names.

The lists are files in `resources/vocabulary`, one word per line. `python -m tests.vocabulary` reports words that the
code has gained since, and adds them with `--update`. Model names are recognized by the words that vendors use in them;
any other model name may identify somebody.
"""

import re
from functools import cache

from inspector.core.analysis.tool_effects import TOOL_EFFECTS
from inspector.resource_folder import resources_folder

_ONE_LETTER_KEYS = frozenset("kvi")  # of the operations of VS Code, none of whose chats can be read without them


def is_non_identifying_word(text: str) -> bool:
    """Return whether a text is a word of a format or the name of a known agent's tool. Few letters are words."""
    return (len(text) > 1 or text in _ONE_LETTER_KEYS) and (text in _listed("formats") or text.lower() in TOOL_EFFECTS)


def provider_text_words() -> frozenset[str]:
    """Return the words of placeholders, refusals and providers' errors."""
    return _listed("provider_texts")


def own_sentence_words() -> frozenset[str]:
    """Return the words of the sentences in the core."""
    return _listed("sentences")


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset((resources_folder() / "vocabulary" / f"{name}.txt").read_text("utf-8").splitlines())


_VENDORS = (
    "anthropic|openai|google|gemini|vertex|models|moonshotai|moonshot|qwen|deepseek(?:-ai)?|z-ai|zai(?:-org)?|thudm|"
    "mistralai|mistral|meta-llama|meta|x-ai|xai|minimax(?:ai)?|amazon|bedrock|azure|openrouter"
)
_FAMILIES = (
    "claude|gpt|chatgpt|codex|gemini|kimi|moonshot|qwen|qwq|deepseek|glm|mistral|mixtral|ministral|magistral|"
    "devstral|codestral|pixtral|grok|llama|minimax"
)
_WORDS = (
    "air|audio|base|chat|code|coder|codex|coding|distill|exp|experimental|fast|flash|free|haiku|high|image|instant|"
    "instruct|it|large|latest|lite|low|max|maverick|medium|micro|mini|moe|nano|next|opus|oss|plus|premier|preview|pro|"
    "realtime|reasoner|scout|small|sol|sonnet|spark|thinking|tiny|turbo|vision|vl"
)
# A version or a size, or the day or month of a release.
_NUMBER = r"[a-z]?\d{1,3}[a-z]?|20\d\d(?:-?[01]\d-?[0-3]\d)|(?:0\d|1[0-2]|2\d)\d\d"
MODEL_NAME_PATTERN = re.compile(
    rf"(?:(?:us|eu|apac|global)\.)?(?:(?:{_VENDORS})[./]){{0,2}}"
    rf"(?:(?:{_FAMILIES})(?:{_NUMBER})?|o\d)(?:[-.:@](?:{_WORDS}|{_NUMBER})){{0,8}}",
    re.ASCII,
)
