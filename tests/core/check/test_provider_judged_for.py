"""For whom a log is judged: the provider that it names, or a guess that is said to be one."""

import json
import re
from pathlib import Path

import pytest

from inspector.core.providers.registry import PROFILES, PROVIDER_NAMES_BY_API, api_name_of_provider, profile_name_of
from tests.core.formats import neovate
from tests.core.formats.cline_sdk import render
from tests.support import product
from tests.support.notation import parse

ASSUMED = "The log does not specify a provider, so Anthropic Messages was assumed for the check."


@pytest.mark.parametrize(
    ("provider", "model", "profile"),
    [
        ("anthropic", "claude-sonnet-4-5", "anthropic"),
        ("openai-compatible", "some-model", "openai-chat"),
        ("OpenRouter", "anthropic/claude-sonnet-4.5", "anthropic"),
        ("openai-native", "gpt-5", "openai-responses"),
        ("vertex", "claude-opus-4-5", "anthropic"),
        ("vertex", "gemini-3-pro", "gemini"),
        ("bedrock", "anthropic.claude-sonnet-4-5", "bedrock-converse"),
        ("mistral", "devstral", "mistral"),
        ("", "gemini-3-pro", "gemini"),
        ("", "", ""),
        ("a-private-one", "some-model", ""),
    ],
)
def test_names_tell_the_profile(provider: str, model: str, profile: str) -> None:
    assert profile_name_of(provider, model) == profile


def test_the_table_of_providers_names_profiles_and_each_provider_once() -> None:
    assert set(PROVIDER_NAMES_BY_API) <= set(PROFILES)
    names = [name.lower() for each in PROVIDER_NAMES_BY_API.values() for name in each]
    assert len(names) == len(set(names))
    assert all(api_name_of_provider(name) for name in names)


def named(folder: Path, history: str, provider: str) -> Path:
    document = json.loads(render(parse(history)))
    for message in document["messages"]:
        if message["role"] == "assistant" and provider:
            message["modelInfo"] = {"provider": provider, "id": "m"}
    path = folder / "1.messages.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


@pytest.mark.parametrize(
    ("provider", "profile"),
    [("openai-compatible", "openai-chat"), ("anthropic", "anthropic"), ("a-private-one", "openai-chat")],
)
def test_a_log_is_judged_by_the_provider_that_it_names(provider: str, profile: str, tmp_path: Path) -> None:
    path = named(tmp_path, "u | a{A}", provider)
    session = product.check(path).session
    assert (session["profile"], session["profile_assumed"]) == (profile, False)
    assert "Checked for" not in product.run("check", str(path)).stdout


def test_where_none_is_named_it_is_said_for_whom(tmp_path: Path) -> None:
    path = named(tmp_path, 'u | a{A} | r(A=alpha) | a"ok"', "")
    session = product.check(path).session
    assert (session["profile"], session["profile_assumed"], session["verdict"]) == ("anthropic", True, "healthy")
    assert ASSUMED in product.run("check", str(path)).stdout


def test_a_profile_that_the_person_names_is_no_guess(tmp_path: Path) -> None:
    path = named(tmp_path, "u | a{A}", "")
    assert "Checked for" not in product.run("check", str(path), "--profile", "openai-chat").stdout


def test_the_report_quotes_the_provider_that_the_person_names(tmp_path: Path) -> None:
    path = named(tmp_path, "u | a{A} | u", "anthropic")
    for options, provider in (((), "Anthropic Messages"), (("--profile", "openai-chat"), "OpenAI Chat Completions")):
        told = product.run("check", str(path), *options).stdout
        assert re.findall(r"= (.+) would respond: ", told) == [provider]


def test_what_only_the_neighbours_of_the_guess_refuse_is_a_warning(tmp_path: Path) -> None:
    """Anthropic reads two messages of the assistant as one turn, OpenAI does not; Neovate can speak to both."""
    path = neovate.FORMAT.write(parse('u | a{A} | a{B} | r(A=alpha,B=beta) | a"ok"'), tmp_path)
    guessed = product.check(path)
    assert (guessed.session["verdict"], {finding["severity"] for finding in guessed.findings}) == (
        "healthy",
        {"warning"},
    )
    assert product.check(path, profile="anthropic").findings == []
