"""A large file of very many conversations is checked in parts: the report is the same, and the memory is bounded."""

import json
import pickle
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.cli.compressed_buffer import CompressedBuffer
from inspector.core.discovery import opening
from inspector.core.engine.log import OpenLog
from inspector.core.errors import NotDivisible
from inspector.core.formats.base import message_arrays
from tests.core.check.test_many_sessions import conversation
from tests.core.formats import FORMATS
from tests.support.notation import parse

HISTORIES = (
    'u"go" | a{A@Bash p=1} | r(A="one") | a"done"',
    'u"go" | a{A@Bash p=1,B p=2} | r(A="one",Z="an orphan") | a"and on"',
    'u"go" | a{A@Write p=1}',
    'u"go" | a{A p=1} | r(A="one") | u"again" | a{A p=1} | r(A="two") | a"done"',
    'a"an answer first" | u"go"',
)


def lines(format: str) -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        texts = [FORMATS[format].write(parse(history), Path(folder)).read_bytes() for history in HISTORIES]
    return [json.dumps(json.loads(text)).encode() for text in texts]


OPENAI, GEMINI, ANTHROPIC = lines("openai-chat"), lines("gemini-contents"), lines("anthropic-messages")
DAMAGED, OTHER = b'{"messages": [{"role": "us', b'{"note": "no conversation"}'
LOGS = {
    "lines": b"\n".join(7 * OPENAI),
    "lines of anthropic": b"\r\n".join(7 * ANTHROPIC) + b"\r\n",
    "lines of gemini": b"\n".join(7 * GEMINI) + b"\n",
    "damaged lines": b"\n".join([*OPENAI, DAMAGED, *OPENAI, OTHER, b"", DAMAGED, DAMAGED, *OPENAI, OTHER, DAMAGED]),
    "document": b"[" + b", ".join(7 * OPENAI) + b"]",
    "indented document": b"\xef\xbb\xbf[\n  " + b",\n  ".join(7 * GEMINI) + b"\n]\n",
}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "DEEP_CHECK_LIMIT", 0)
    monkeypatch.setattr(message_arrays, "_ROWS_PER_PART", 12)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "log.json"
    path.write_bytes(data)
    return path


def reports(path: Path) -> list[tuple[int, bytes]]:
    options = ["--format json --accepted-by anthropic", "-v --accepted-by mistral,gemini", "-q"]
    answers = (CliRunner().invoke(main, ["check", str(path), *words.split()]) for words in options)
    return [(answer.exit_code, answer.stdout_bytes) for answer in answers]


@pytest.mark.parametrize("name", LOGS)
def test_the_report_is_that_on_the_whole_log(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, LOGS[name])
    with OpenLog.at(path) as log:
        assert len([*log.parts()]) > 3
    in_parts = reports(path)
    monkeypatch.setattr(OpenLog, "parts", lambda log: iter([log]))
    assert in_parts == reports(path)
    assert in_parts[0][0] == 1


@pytest.mark.parametrize(
    "data",
    [
        b"[" + b", ".join([*OPENAI, *OPENAI, b'{"messages": [}', *OPENAI]) + b"]",
        b"[" + b", ".join([*OPENAI, *OPENAI, *OPENAI]),
        b"\n".join([*OPENAI, *OPENAI, *[b'{"messages": [{"role": "user", "content": [{"functionCall": {}}]}]}'] * 20]),
    ],
    ids=("damaged element", "torn document", "messages of another wire"),
)
def test_what_only_the_whole_log_shows_is_seen(data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, data)
    with OpenLog.at(path) as log, pytest.raises(NotDivisible):
        assert [*log.parts()]
    in_parts = reports(path)
    monkeypatch.setattr(OpenLog, "parts", lambda log: iter([log]))
    assert in_parts == reports(path)


def test_the_memory_does_not_grow_with_the_number_of_conversations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_arrays, "_ROWS_PER_PART", 100)

    def peak(count: int) -> int:
        texts = (json.dumps(conversation(number, "alpha" if number % 50 else "")) for number in range(count))
        with OpenLog.at(written(tmp_path, "\n".join(texts).encode())) as log:
            tracemalloc.start()
            try:
                assert sum(len(part.check().sessions) for part in log.parts()) == count
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    peak(50)
    assert peak(300) < 1.5 * peak(100)


def test_the_output_is_kept_compressed_and_read_as_it_was_written() -> None:
    output, lines = CompressedBuffer(), [b"a line of a report %d\n" % number for number in range(100_000)]
    for line in lines:
        output.write(line)
    output.first = b"the first line\n"
    again = pickle.loads(pickle.dumps(output))
    for each in (output, again):
        assert b"".join(each) == b"".join(each) == b"".join([b"the first line\n", *lines])
        assert all(block.endswith(b"\n") for block in each)
    assert len(pickle.dumps(output)) < len(b"".join(lines)) / 1.5
    assert not CompressedBuffer()
