"""The member of an object that a parser keeps, wherever it stands and however it is spelled."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.storage.json_spans import TruncatedJson, find_member

KEYS = ['"k"', '"l"', r'"\u006b"', r'"k\""', '"kk"']
SPACES = st.sampled_from(["", " ", "\n\t"])
VALUES = st.sampled_from(["1", "null", '"k"', '"\\"k\\":2"', "[]", '{"k":3}', '[{"k":[{"l":{"k":[[4]]}}]}]', '"}"'])


@st.composite
def objects(draw: st.DrawFn) -> bytes:
    pairs = draw(st.lists(st.tuples(st.sampled_from(KEYS), VALUES, SPACES, SPACES, SPACES), max_size=5))
    return f"{{{','.join(f'{a}{key}{b}:{c}{value}{a}' for key, value, a, b, c in pairs)}}}".encode()


@given(objects())
def test_it_is_the_one_that_a_parser_keeps(text: bytes) -> None:
    found, kept = find_member(text, 0, "k"), json.loads(text)
    assert (found is not None) == ("k" in kept)
    if found is not None:
        assert json.loads(text[found.start : found.end]) == kept["k"]
        assert json.loads(text[found.key_start : found.key_end]) == "k"


@pytest.mark.parametrize("text", [b'{"a":1', b'{"a":1,"k', b'{"a":[1,"k":2}', b'{"a" 1,"k":2}'])
def test_a_text_that_goes_wrong_before_it_is_told(text: bytes) -> None:
    with pytest.raises(TruncatedJson):
        find_member(text, 0, "k")
