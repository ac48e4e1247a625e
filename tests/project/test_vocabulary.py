"""The lists of public words hold every word that the code reads or writes in logs."""

from tests.vocabulary import missing


def test_no_word_of_the_code_is_missing_from_the_lists() -> None:
    assert missing() == {"formats": [], "provider_texts": [], "sentences": []}, "python -m tests.vocabulary --update"
