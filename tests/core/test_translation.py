"""A sentence is one template that can be rendered in any language; JSON has it in English."""

import pickle
from collections.abc import Iterator

import msgspec
import pytest

from inspector.core import translation
from inspector.core.translation import (
    PSEUDO_LANGUAGE,
    Translator,
    encode_sentence_in_english,
    joined,
    set_language,
    tr,
    tr_plural,
)
from tests import translations

FIELD = translations.FIELD


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(translation.LANGUAGE_VARIABLE, "")
    set_language(PSEUDO_LANGUAGE)
    yield
    set_language(translation.ENGLISH)


def test_a_sentence_is_a_text() -> None:
    assert tr("The call to {tool} has no result.", tool="Bash") == "The call to Bash has no result."
    assert tr("Braces stay where nothing is filled in: {name}") == "Braces stay where nothing is filled in: {name}"
    assert [tr_plural("{number:,} call", "{number:,} calls", count) for count in (1, 2000)] == ["1 call", "2,000 calls"]


@pytest.mark.usefixtures("pseudo")
def test_every_template_is_rendered_in_another_language() -> None:
    calls = tr_plural("{number:,} call", "{number:,} calls", 2)
    assert calls == "⟦2 çåļļš⟧"
    assert tr("<b>{calls}</b> in `check`", calls=calls) == "⟦<b>⟦2 çåļļš⟧</b> îñ `check`⟧"
    assert tr("{first}: {second}", first=1, second=2) == "1: 2"


@pytest.mark.usefixtures("pseudo")
def test_json_is_english_in_every_language() -> None:
    calls = joined(", ", ["none", tr_plural("{number:,} call", "{number:,} calls", 1)])
    text = tr("It has {calls}.", calls=calls)
    assert text == "⟦Îţ ĥåš none, ⟦1 çåļļ⟧.⟧"
    assert (
        msgspec.json.encode({"text": text}, enc_hook=encode_sentence_in_english) == b'{"text":"It has none, 1 call."}'
    )


def test_another_process_has_a_language_of_its_own(pseudo: None) -> None:
    sent = pickle.dumps([tr("It has {calls}.", calls=tr_plural("{number:,} call", "{number:,} calls", 1))])
    set_language(translation.ENGLISH)
    assert pickle.loads(sent) == ["It has 1 call."]


def test_a_report_has_the_language_that_was_asked_for() -> None:
    assert Translator("zh")(tr("{count} bytes", count=12)) == "12 字节"
    assert Translator("zh")("line {number}", number=3) == "第 3 行"
    assert Translator("zh")("No translation has this.") == "No translation has this."


def test_the_catalogues_are_up_to_date() -> None:
    assert [path.name for path in translations.stale_files()] == [], "python -m tests.translations --update"


def test_translations_have_the_fields_of_their_templates() -> None:
    for path in translations.translations():
        for each in translations.read_catalogue(path):
            if each.id and isinstance(each.id, str) and isinstance(each.string, str):
                assert set(FIELD.findall(each.string)) <= set(FIELD.findall(each.id)), each.id
