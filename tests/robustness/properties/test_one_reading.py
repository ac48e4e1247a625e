"""Every line of a log is read once, and however it is read, by the chunk or by itself, the same is known of it."""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from inspector.core.discovery.opening import FormatProbe
from inspector.core.engine.log import OpenLog
from inspector.core.formats import FORMATS
from inspector.core.formats.base.format import ReadOptions
from inspector.core.formats.base.json_lines import IndexedLines, JsonLines
from inspector.core.model.columnar_index import Columns
from inspector.core.storage import json_text
from inspector.core.storage.source import SHORT_HEAD_SIZE, Source
from tests.robustness.properties.test_growth import steps_of, user
from tests.support.notation import Call, Result, Text, Turn, claude_code
from tests.support.paths import SAMPLES

BY_CHUNK = ["claude-code", "codex"]
ODD = (
    *(
        b'"',
        b"\\",
        b"\\u",
        rb"\ud800",
        rb"\udc00",
        rb"\ud83d\ude00",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"0",
        b"-",
        b".",
    ),
    *(
        b"e5",
        b"1e400",
        b"01",
        b"tru",
        b"null",
        b"NaN",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
    ),
    *(
        b"\0",
        b"\x1f",
        b"\x7f",
        b"\n",
        b"\r",
        b"\t",
        b"\x0b",
        b"\xef\xbb\xbf",
        "é😀".encode(),
        b"1.",
        b".5",
        b"1E+",
        b"\\x",
        b"/**/",
    ),
)
SEEDS = (
    b'{"a":[1,2.5,-3e2,"x"],"b":{"c":[{}]}}',
    '["é","😀",null,true]'.encode(),
    rb'{"t":"a\\b\"c","n":{"k":[{}]}}',
    b"12",
    b'"text"',
)


def mutated(count: int) -> Iterator[bytes]:
    rng = Random(7)
    for _ in range(count):
        text = bytearray(rng.choice(SEEDS))
        for _ in range(rng.randint(1, 3)):
            at = rng.randint(0, len(text))
            text[at : at + rng.choice((0, 0, 1, 3))] = rng.choice(ODD)
        yield bytes(text)


def test_what_is_passed_over_is_judged_as_what_is_parsed() -> None:
    texts = [*mutated(5000), b"[" * 900 + b"]" * 900, b"[" * 2000 + b"]" * 2000, b""]
    wrong = [text for text in texts if json_text.is_valid_json(text) != json_text._is_valid_for_orjson(text)]
    assert (wrong, len(set(map(json_text.is_valid_json, texts)))) == ([], 2)


def facts_of(name: str, data: bytes, reading: ReadOptions) -> dict[str, Any]:
    return columns_of(FORMATS[name].index(Source.of_bytes(data), reading).columns)


def columns_of(columns: Columns) -> dict[str, Any]:
    values = {column: getattr(columns, column) for column in Columns.__slots__ if not column.startswith("_")}
    return {column: value if isinstance(value, int) else list(value) for column, value in values.items()}


# What can stand between two lines, and in one of them.
SHAPES = {
    "as it is": (b"\n", b"{}"),
    "carriage returns": (b"\r\n", b"{}"),
    "blank lines": (b"\n\n", b"{}"),
    "spaces": (b" \n ", b"{}"),
    "two values in a line, and none in the next": (b"\n", b'{"a":1} {"b":\n2}'),
    "one that goes on in the next": (b"\n", b'{"a":{"b":1}\n} {"c":2}'),
    "no JSON": (b"\n", b'{"a":01}'),
    "a list": (b"\n", b"[]"),
    "no UTF-8": (b"\n", b'{"a":"\xff"}'),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", BY_CHUNK)
def test_a_chunk_is_read_as_its_lines_are(name: str, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (SAMPLES / f"{name}-broken.jsonl").read_bytes().splitlines()
    between, odd = SHAPES[shape]
    data = between.join([*lines, odd, lines[-1]])
    deep, fast = (facts_of(name, data, ReadOptions(deep)) for deep in (True, False))
    known = facts_of(name, data, ReadOptions(True, valid_up_to=len(between.join(lines))))
    monkeypatch.setattr(f"inspector.core.formats.{name.replace('-', '_')}.decode_chunk", lambda *_: None)
    assert deep == known == facts_of(name, data, ReadOptions(True))
    assert fast == facts_of(name, data, ReadOptions(False))
    assert (fast == deep) == (shape != "no UTF-8")


def long_log(count: int) -> bytes:
    exchange = [Turn("assistant", (Call("call"),)), user(Result("call", "output " * 100))]
    return claude_code([user(), *(turn for _ in range(count) for turn in exchange), Turn("assistant", (Text("ok"),))])


def test_of_a_sound_log_only_the_head_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    data, parsed, loads = long_log(200), 0, orjson.loads

    def counted(text: bytes) -> Any:
        nonlocal parsed
        parsed += len(text)
        return loads(text)

    monkeypatch.setattr(orjson, "loads", counted)
    with OpenLog.of_bytes(data) as log:
        log.check()
    assert (len(data) > 4 * SHORT_HEAD_SIZE, 0 < parsed < 2 * SHORT_HEAD_SIZE) == (True, True)


def index(data: bytes) -> None:
    FORMATS["claude-code"].index(Source.of_bytes(data), ReadOptions(True))


def test_a_line_takes_few_steps() -> None:
    few, many = (steps_of(partial(index, data)) for data in map(long_log, (50, 250)))
    assert (many - few) / 400 < 75


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_what_is_read_of_two_parts_is_that_of_the_whole(path: Path) -> None:
    data = path.read_bytes()
    format = FormatProbe(Source.of_bytes(data)).format
    if not isinstance(format, JsonLines):
        # Each of its lines holds a conversation, or the lines are read like an array of messages.
        assert format.name in ("openai-chat", "openhands")
        return

    def read(low: int, high: int) -> IndexedLines:
        source = Source.of_bytes(data)
        source.limit_to(low, high)
        return format.read_lines(source, ReadOptions())

    def facts(found: IndexedLines) -> list[Any]:
        return [found.sequences, found.session_starts, columns_of(found.columns)]

    whole = facts(read(0, len(data)))
    for cut in accumulate(map(len, data.splitlines(keepends=True))):
        found = read(0, cut)
        found.append(read(cut, len(data)))
        assert facts(found) == whole
