"""What an agent reads of records with invalid characters: the request, the verdict and the repair follow it."""

import json
from pathlib import Path

import pytest

from tests.core.formats import FORMATS
from tests.support import product
from tests.support.notation import parse

HALF, BYTES = b"cut\\ud83d off", b"cut\xf0\x9f off"
NEWER_ENGINE = b'"protocol_version":"1.4"', b'"protocol_version":"1.5"'  # of Kimi Code
# What is sent of a text with half of a surrogate pair.
SENT_HALVES = {
    "cline-sdk": "cut\ufffd off",
    "pi": "cut off",
    "gemini-cli": "cut\ud83d off",
    "kimi-code": "cut\ud83d off",
    "opencode": "cut\ufffd off",
    "qwen-code": "cut\ud83d off",
}
REFUSED_HALVES = ("gemini-cli", "kimi-code", "qwen-code")


def spoilt(name: str, folder: Path, history: str, by: bytes) -> Path:
    """A log of a history in which the word SPOILT is replaced."""
    path = FORMATS[name].write(parse(history), folder)
    for file in [path] if path.is_file() else filter(Path.is_file, path.rglob("*")):
        file.write_bytes(file.read_bytes().replace(b"SPOILT", by).replace(*NEWER_ENGINE))
    return path


def texts(path: Path) -> str:
    return json.dumps([block["text"] for block in product.sent(path).blocks])


@pytest.mark.parametrize("name", ["kimi-cli", *sorted(SENT_HALVES)])
def test_broken_utf8_is_sent_with_replacement_characters(name: str, tmp_path: Path) -> None:
    path = spoilt(name, tmp_path, 'u | a"SPOILT" | u', BYTES)
    assert json.dumps("cut\ufffd off")[1:-1] in texts(path)
    assert product.check(path).session["verdict"] == "heals-itself"


@pytest.mark.parametrize(("name", "sent"), SENT_HALVES.items())
def test_half_of_a_surrogate_pair_is_sent_as_the_agent_sends_it(name: str, sent: str, tmp_path: Path) -> None:
    path = spoilt(name, tmp_path, 'u | a"SPOILT" | u', HALF)
    assert json.dumps(sent)[1:-1] in texts(path)
    resume = product.check(path).session["on_resume"]
    assert (resume["outcome"], resume["loses"]) == ("refuses" if name in REFUSED_HALVES else "mends", [])


def test_an_agent_that_stops_at_half_of_a_surrogate_pair_sends_nothing(tmp_path: Path) -> None:
    resume = product.check(spoilt("kimi-cli", tmp_path, 'u | a"SPOILT" | u', HALF)).session["on_resume"]
    assert (resume["outcome"], resume["error"]) == ("refuses", "surrogates not allowed")


@pytest.mark.parametrize("name", ["kimi-cli", *sorted(SENT_HALVES)])
def test_the_repair_keeps_the_text(name: str, tmp_path: Path) -> None:
    for number, by in enumerate((HALF, BYTES)):
        folder, out = tmp_path / str(number), tmp_path / f"repaired{number}"
        folder.mkdir()
        assert product.repair(spoilt(name, folder, 'u | a"SPOILT" | u', by), out).code == 0
        assert json.dumps("cut\ufffd off")[1:-1] in texts(out)
        assert product.check(out).session["verdict"] == "healthy"
