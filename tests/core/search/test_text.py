"""A text is found in a buffer, or not, whichever search looks for it."""

from array import array

import pytest

from inspector.core.search import raw_text_search as text_search
from inspector.core.search.raw_text_search import TextSearch, buffer_contains
from inspector.core.storage.source import Source


@pytest.mark.parametrize("made", [bytes, bytearray])
@pytest.mark.parametrize("library", [True, False], ids=["C", "Python"])
def test_it_is_looked_for_within_the_size(
    library: bool, made: type[bytes] | type[bytearray], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not library:
        monkeypatch.setattr(text_search, "_memmem", lambda: None)
    buffer = made(b"one t\0wo three")
    sought = (b"one", b"t\0w", b"t\0x", b"three", b"thre", b"")
    assert [buffer_contains(buffer, each, 13) for each in sought] == [True, True, False, False, True, True]
    assert not buffer_contains(made(), b"one", 0)


@pytest.mark.parametrize("match_case", [True, False])
@pytest.mark.parametrize("text", ["12:30", "中", "12:30中"])
def test_a_text_without_letters_is_found_in_any_case(text: str, match_case: bool) -> None:
    log = b'{"a":"12:30"}\n{"a":"\\u4E2D"}\n{"a":"\\u4e2d"}\n{"a":"12:30\\u4E2D B"}\n'
    ends = array("q", [at for at, byte in enumerate(log) if byte == 10])
    search = TextSearch(text, match_case, array("q", [0, *(end + 1 for end in ends[:-1])]), ends)
    found = [list(records) for _, records in search.matching_records(Source.of_bytes(log))]
    assert found == [{"12:30": [0, 3], "中": [1, 2, 3], "12:30中": [3]}[text]]
