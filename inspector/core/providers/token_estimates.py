"""Estimates of tokens by model family, and the context windows of models. All numbers are data, each with its source.

A tokenizer of every model would be many megabytes, and those of Anthropic and Google are not published. So the
characters of a text are counted by class, and each family says how many characters of a class make a token. How far
this is from what providers measured is in the documentation (`resources/docs/context.md`).
"""

from collections.abc import Callable
from math import ceil
from typing import TypeAlias

from msgspec import Struct

from inspector.core.lazy import lazy_regex

_LETTERS_AND_SPACES = bytes(code for code in range(128) if chr(code).isalpha() or chr(code).isspace())
# Ideographs, kana, Hangul and full-width forms.
_CJK = lazy_regex("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


class CharacterCounts(Struct, frozen=True):
    """The characters of a text by class.

    `letters` are those of alphabets, with one space for a run of white space, because such a run is one token.
    `ideographs` are CJK characters. `others` are digits, symbols and line ends, which are frequent in code, paths, ids
    and JSON.
    """

    letters: int = 0
    ideographs: int = 0
    others: int = 0


def count_characters(text: str) -> CharacterCounts:
    """Count the characters of a text by class. Linear in the text."""
    line_ends, text = text.count("\n"), " ".join(text.split())
    ideographs = 0 if text.isascii() else len(_CJK.findall(text))
    others = len(text.encode("ascii", "ignore").translate(None, _LETTERS_AND_SPACES))
    return CharacterCounts(max(len(text) - ideographs - others - line_ends, 0), ideographs, others + line_ends)


ImageFormula: TypeAlias = Callable[[int, int], int]
UNKNOWN_IMAGE = (1024, 1024)  # pixels of an image whose size is not known, such as one at an address


def _by_area(longest: int, most: int) -> ImageFormula:
    """Return the formula of Anthropic: an image is scaled down to its longest side, and 750 pixels are a token."""

    def tokens(width: int, height: int) -> int:
        factor = min(1.0, longest / max(width, height))
        return min(ceil(width * factor * height * factor / 750), most)

    return tokens


def _by_tiles_of_512(width: int, height: int) -> int:
    """Return 85 tokens and 170 for each tile, after scaling down to 2048×2048 and then to a shorter side of 768."""
    factor = min(1.0, 2048 / max(width, height))
    factor *= min(1.0, 768 / (min(width, height) * factor))
    return 85 + 170 * ceil(width * factor / 512) * ceil(height * factor / 512)


def _by_tiles_of_768(width: int, height: int) -> int:
    """Return 258 tokens for a small image, or for each tile of 768×768 of a larger one."""
    return 258 if max(width, height) <= 384 else 258 * ceil(width / 768) * ceil(height / 768)


def _by_patches_of_28(width: int, height: int) -> int:
    """Return a token for each 28×28 pixels, at least 4 and at most 16,384."""
    return min(max(ceil(width / 28) * ceil(height / 28), 4), 16_384)


class TokenFamily(Struct, frozen=True):
    """Models that are estimated alike.

    `letters`, `ideographs` and `others` are characters per token (see `Characters`). `source` is where the ratios come
    from, `image_source` where the formula for images comes from.
    """

    name: str
    letters: float
    ideographs: float
    others: float
    source: str
    image_formula: ImageFormula
    image_source: str

    def tokens_of_text(self, text: str) -> float:
        """Return the estimated tokens of a text."""
        found = count_characters(text)
        return found.letters / self.letters + found.ideographs / self.ideographs + found.others / self.others

    def tokens_of_image(self, width: int, height: int) -> int:
        """Return the tokens of an image by the provider's formula. Sides that are not known are 0."""
        return self.image_formula(*((width, height) if width and height else UNKNOWN_IMAGE))


_CLAUDE_DOCS, _OPENAI_DOCS = "https://platform.claude.com/docs/en", "https://developers.openai.com/api/docs"
_GEMINI_DOCS, _DEEPSEEK_DOCS = "https://ai.google.dev/gemini-api/docs", "https://api-docs.deepseek.com/quick_start"
_CLAUDE_VISION = f"{_CLAUDE_DOCS}/build-with-claude/vision"
_QWEN_VISION = "https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct"
_QWEN_CODER = "https://huggingface.co/Qwen/Qwen3-Coder-480B-A35B-Instruct"
# A digit or a symbol of code and JSON is a token in every family. No provider publishes that ratio: it is the one that
# fits what Anthropic measured for 20 recorded sessions of Claude Code best (letters then fit at 3.5, as published).
_MEASURED = 1.0

CLAUDE = TokenFamily(
    "claude", 3.5, 1.0, _MEASURED, f"{_CLAUDE_DOCS}/about-claude/glossary", _by_area(1568, 1600), _CLAUDE_VISION
)
# Claude Opus 4.7 and everything newer: up to 1.35 times as many tokens for the same text, about 1.3 for Sonnet 5.
CLAUDE_5 = TokenFamily(
    "claude-5",
    CLAUDE.letters / 1.3,
    CLAUDE.ideographs / 1.3,
    CLAUDE.others / 1.3,
    f"{_CLAUDE_DOCS}/about-claude/models/whats-new-claude-4-7",
    _by_area(2576, 4784),
    _CLAUDE_VISION,
)
OPENAI = TokenFamily(
    "openai",
    4.0,
    1.0,
    _MEASURED,
    "https://help.openai.com/en/articles/4936856-what-are-tokens-and-how-to-count-them",
    _by_tiles_of_512,
    f"{_OPENAI_DOCS}/guides/images-vision",
)
GEMINI = TokenFamily(
    "gemini", 4.0, 1.0, _MEASURED, f"{_GEMINI_DOCS}/tokens", _by_tiles_of_768, f"{_GEMINI_DOCS}/tokens"
)
DEEPSEEK = TokenFamily(
    "deepseek", 1 / 0.3, 1 / 0.6, _MEASURED, f"{_DEEPSEEK_DOCS}/token_usage", _by_patches_of_28, _QWEN_VISION
)
QWEN = TokenFamily(
    "qwen",
    3.5,
    1.5,
    _MEASURED,
    "https://qwen.readthedocs.io/en/latest/getting_started/concepts.html",
    _by_patches_of_28,
    _QWEN_VISION,
)
KIMI = TokenFamily(
    "kimi", 3.5, 1.5, _MEASURED, "https://platform.moonshot.ai/docs/introduction", _by_patches_of_28, _QWEN_VISION
)
# For models that nothing is known of: the published ratio that gives the most tokens.
UNKNOWN = TokenFamily("unknown", 1 / 0.3, 1.0, _MEASURED, DEEPSEEK.source, _by_patches_of_28, _QWEN_VISION)


class ModelContextWindow(Struct, frozen=True):
    """A model, or several with one beginning of their names.

    `window` is its context window in tokens, which holds input and output; `source` is where it is documented. `answer`
    are the tokens to leave for an answer: the longest output of Claude, GPT, Gemini and Qwen3-Coder, as documented, and
    a quarter of the window for other models, at most 128,000.
    """

    name: str
    family: TokenFamily
    window: int
    answer: int
    source: str


def _models(family: TokenFamily, window: int, answer: int, source: str, names: str) -> tuple[ModelContextWindow, ...]:
    return tuple(ModelContextWindow(name, family, window, answer, source) for name in names.split())


_CLAUDE_WINDOWS = f"{_CLAUDE_DOCS}/build-with-claude/context-windows"
# Of several beginnings that a name has, the longest counts.
CONTEXT_MODELS: dict[str, ModelContextWindow] = {
    model.name: model
    for model in (
        *_models(CLAUDE, 200_000, 64_000, _CLAUDE_WINDOWS, "claude claude-opus-4 claude-sonnet-4 claude-haiku-4"),
        *_models(CLAUDE, 1_000_000, 128_000, _CLAUDE_WINDOWS, "claude-opus-4-6 claude-sonnet-4-6"),
        *_models(
            CLAUDE_5,
            1_000_000,
            128_000,
            _CLAUDE_WINDOWS,
            "claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-sonnet-5 claude-haiku-5 claude-fable-5 claude-mythos",
        ),
        *_models(OPENAI, 400_000, 128_000, f"{_OPENAI_DOCS}/models/gpt-5-codex", "gpt-5"),
        *_models(OPENAI, 1_050_000, 128_000, f"{_OPENAI_DOCS}/models/gpt-5.5", "gpt-5.4 gpt-5.5"),
        *_models(OPENAI, 128_000, 16_384, f"{_OPENAI_DOCS}/models/gpt-4o", "gpt-4o"),
        *_models(OPENAI, 131_072, 32_768, "https://huggingface.co/openai/gpt-oss-120b", "gpt-oss"),
        *_models(GEMINI, 1_048_576, 65_536, f"{_GEMINI_DOCS}/models", "gemini-2 gemini-3"),
        *_models(DEEPSEEK, 1_000_000, 128_000, f"{_DEEPSEEK_DOCS}/pricing", "deepseek-v4 deepseek-flash"),
        *_models(QWEN, 262_144, 65_536, _QWEN_CODER, "qwen3-coder"),
        *_models(KIMI, 262_144, 65_536, "https://platform.moonshot.ai/docs/pricing/chat", "kimi-k2"),
    )
}


def find_model(name: str) -> ModelContextWindow | None:
    """Return the model with the longest name that `name` begins with, None for none.

    What is before a slash is skipped, and a dot is the same as a hyphen (`anthropic/claude-opus-4.8`).
    """
    spelling = name.lower().rpartition("/")[2].replace(".", "-")
    known = (model for model in CONTEXT_MODELS.values() if spelling.startswith(model.name.replace(".", "-")))
    return max(known, key=lambda model: len(model.name), default=None)


FAMILY_OF_PROFILE: dict[str, TokenFamily] = {
    "anthropic": CLAUDE,
    "anthropic-prefix-bound": CLAUDE,
    "bedrock-converse": CLAUDE,
    "openai-chat": OPENAI,
    "openai-responses": OPENAI,
    "responses-in-order": OPENAI,
    "gemini": GEMINI,
}


def family_for(model: str, profile: str) -> TokenFamily:
    """Return the family of a model by its name, or else by the profile of its provider."""
    known = find_model(model)
    return known.family if known is not None else FAMILY_OF_PROFILE.get(profile, UNKNOWN)
