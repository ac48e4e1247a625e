"""Estimates of tokens: classes of characters, images by the documented formulas, and models by their names."""

import pytest

from inspector.core.providers.token_estimates import (
    CLAUDE,
    CLAUDE_5,
    CONTEXT_MODELS,
    DEEPSEEK,
    GEMINI,
    OPENAI,
    QWEN,
    CharacterCounts,
    TokenFamily,
    count_characters,
    find_model,
)


@pytest.mark.parametrize(
    ("text", "letters", "ideographs", "others"),
    [
        ("", 0, 0, 0),
        ("two words", 9, 0, 0),
        ("x  =  1;\n    y", 4, 0, 4),
        ("naïve", 5, 0, 0),
        ("中文 and 한글", 5, 4, 0),
        ('{"path": "/a/b"}', 7, 0, 9),
    ],
)
def test_characters_by_class(text: str, letters: int, ideographs: int, others: int) -> None:
    assert count_characters(text) == CharacterCounts(letters, ideographs, others)


@pytest.mark.parametrize(
    ("family", "width", "height", "tokens"),
    [
        (CLAUDE, 200, 200, 54),  # the sizes and tokens of Anthropic's table
        (CLAUDE, 1000, 1000, 1334),
        (CLAUDE, 1092, 1092, 1590),
        (CLAUDE, 4000, 4000, 1600),
        (CLAUDE_5, 2000, 1500, 4000),
        (OPENAI, 1024, 1024, 765),  # the examples of OpenAI's guide
        (OPENAI, 2048, 4096, 1105),
        (GEMINI, 384, 384, 258),
        (GEMINI, 1536, 768, 516),
        (QWEN, 1280, 720, 1196),
        (CLAUDE, 0, 0, 1399),  # of unknown size
    ],
)
def test_tokens_of_images(family: TokenFamily, width: int, height: int, tokens: int) -> None:
    assert family.tokens_of_image(width, height) == tokens


def test_a_text_takes_the_documented_number_of_characters_a_token() -> None:
    assert DEEPSEEK.tokens_of_text("a" * 100) == pytest.approx(30)
    assert DEEPSEEK.tokens_of_text("中" * 100) == pytest.approx(60)
    assert CLAUDE.tokens_of_text("a" * 350) == pytest.approx(100)
    assert CLAUDE_5.tokens_of_text("a" * 350) == pytest.approx(130)


@pytest.mark.parametrize(
    ("name", "model", "window"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4", 200_000),
        ("claude-opus-4-6", "claude-opus-4-6", 1_000_000),
        ("anthropic/claude-opus-4.8-fast", "claude-opus-4-8", 1_000_000),
        ("GPT-5-codex", "gpt-5", 400_000),
        ("gpt-5.5", "gpt-5.5", 1_050_000),
        ("claude-3-5-haiku", "claude", 200_000),
        ("gemini-2.5-pro", "gemini-2", 1_048_576),
    ],
)
def test_the_longest_name_of_a_model_counts(name: str, model: str, window: int) -> None:
    found = find_model(name)
    assert found is not None
    assert (found.name, found.window) == (model, window)


def test_a_model_that_is_not_known_is_none() -> None:
    assert find_model("fake-model") is None


def test_every_number_has_a_source() -> None:
    for model in CONTEXT_MODELS.values():
        assert 0 < model.answer < model.window
        sources = model.source, model.family.source, model.family.image_source
        assert all(source.startswith("https://") for source in sources)
