"""A text is found however a log spells it."""

import json

import pytest

from inspector.core.search.raw_text_search import search_patterns


def found(text: str, log: bytes, match_case: bool = True) -> bool:
    log = log if match_case else log.lower()
    return any(way.find(log, 0, len(log)) >= 0 for way in search_patterns(text, match_case))


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        'say "hi"',
        "C:\\new",
        "a\tb\nc",
        "\n",
        '"',
        "a/b",
        "<b>&amp;'",
        "中文",
        "é",
        "x é y",
        "🙂",
        'a🙂/\n"z',
        "\x00",
        "\x7f",
    ],
)
def test_in_every_spelling(text: str) -> None:
    once = json.dumps(text)
    spelled = [once, json.dumps(text, ensure_ascii=False), json.dumps(once), json.dumps(json.dumps(once))]
    spelled += [once.replace("/", "\\/"), once.replace("<", "\\u003c").replace("&", "\\u0026")]
    for each in spelled:
        assert found(text, b'{"k":' + each.encode() + b"}"), each
    assert not found(text, b"something else; nothing here")


def test_hexadecimal_digits_in_either_case() -> None:
    assert found("é", rb"\u00E9")
    assert found("é", rb"\u00e9")
    assert found("<", rb"\u003C")


@pytest.mark.parametrize(("match_case", "expected"), [(True, False), (False, True)])
def test_case_is_that_of_ascii(match_case: bool, expected: bool) -> None:
    assert found("error: é", "x ERROR: é".encode(), match_case) is expected


def test_what_only_looks_like_it_is_not_found() -> None:
    assert not found('a"b', b"a'b a b a\\b")
    assert not found("中文", rb"\u4e2d \u6587")
    assert not found("ab", b"a b")


def test_a_match_behind_one_that_failed_is_found() -> None:
    assert found('word"end', b'word end word" end {"k":"word\\"end"}')
