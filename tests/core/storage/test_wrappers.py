"""What a mail, an issue, a terminal, an editor or a browser has put around a log is seen through and named."""

import bz2
import gzip
import json
import lzma
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import inspector
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.errors import CutOffFile, DamagedFile
from inspector.core.storage.compression import zstd_library
from inspector.core.storage.wrappers import WRAPPER_HEAD_SIZE, may_be_wrapped, unwrap
from tests.support import product
from tests.support.notation import FORMATS, parse

LOG = FORMATS["claude-code"].render(parse('u | a"t"{A} | u"next"'))
REQUEST = json.loads(FORMATS["anthropic"].render(parse('u | a"t"{A} | u"next"')))


def told(data: bytes) -> str:
    """The text in the wrappers of a file, and where it was."""
    content = unwrap(data, "file")
    return "not wrapped" if content is None else f"{content.text.decode()}<- {content.place}"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("hi\n> {1}\n> {2}\nbye", "{1}\n{2}<- a quoted email at line 2"),
        ("> hi\n> {1}\n>\n> {2}\n> bye", "{1}\n\n{2}<- a quoted email at line 2"),
        (">> {1}\n> > {2}\n", "{1}\n{2}<- a quoted email at line 1"),
        ("> {\n>   1\n> }\n\n> text", "{\n  1\n}<- a quoted email at line 1"),
        ('> text\n> 1"}\n> {2}\n> {"torn\n> bye', '1"}\n{2}\n{"torn<- a quoted email at line 2'),
        ("hi\n> text\n", "not wrapped"),
        ("a\n```json\n{1}\n```\nb", "{1}\n<- a Markdown fence at line 2"),
        ("```\nError: 400\n```\n\n~~~~ jsonl\n{1}\n```\n{2}\n~~~~\n", "{1}\n```\n{2}\n<- a Markdown fence at line 5"),
        ("- log:\n\n  ```\n  {1}", "  {1}<- a Markdown fence at line 3"),
        ("a\n```\nls\n```\n", "not wrapped"),
        ("> a\n> ```\n> {1}\n> ```\n", "{1}\n<- a Markdown fence at line 1, in a quoted email at line 2"),
        ("\ufeff```\n{1}\n```\n", "{1}\n<- a Markdown fence at line 1"),
        ('{"a": 1}\n```\n{}\n```\n', "not wrapped"),
    ],
)
def test_mail_and_markdown(data: str, expected: str) -> None:
    assert told(data.encode()) == expected


def folded(*records: object, width: int = 40) -> str:
    lines = [json.dumps(each, ensure_ascii=False) for each in records]
    return "".join(line[at : at + width] + "\n" for line in lines for at in range(0, len(line), width))


@pytest.mark.parametrize("prompt", ["", "$ cat log.jsonl\n"])
@pytest.mark.parametrize("trimmed", [False, True])
def test_a_copy_from_a_terminal(prompt: str, trimmed: bool) -> None:
    # The second piece of the first record ends in spaces, and the second record fills its last line.
    records = [{"text": f"{'x' * 60}    {'y' * 60}"}, {"text": "z" * 108}, {"a": 1}, {"text": "{" * 90}]
    text = folded(*records)
    assert len(json.dumps(records[1])) % 40 == 0
    if trimmed:
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    content = unwrap(f"{prompt}{text}{'$ ' if prompt else ''}".encode(), "file")
    assert content is not None
    assert [json.loads(line) for line in content.text.splitlines()] == records
    assert content.place == f"text copied from a terminal with 40 columns, at line {1 + bool(prompt)}"


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_copied_document_ends_as_it_did_in_the_terminal(end: str) -> None:
    text = folded([{"text": "x" * 90}]).rstrip("\n") + end
    content = unwrap(text.encode(), "file")
    assert content is not None
    assert content.text == text.replace("\n", "").encode() + end.encode()


def test_a_copy_from_a_terminal_that_fills_its_lines_in_a_fence_in_a_mail() -> None:
    records = [{"text": "x" * 90}, {"text": "y" * 70}]
    lines = [line.ljust(40) for line in folded(*records).splitlines()]
    mail = "\n".join(f"> {line}" for line in ["See:", "```", *lines, "```", "Bye"])
    content = unwrap(mail.encode(), "file")
    assert content is not None
    assert [json.loads(line) for line in content.text.splitlines()] == records
    terminal, mail_place = "text copied from a terminal with 40 columns, at line 1", "a quoted email at line 2"
    assert content.place == f"{terminal}, in a Markdown fence at line 1, in {mail_place}"


def test_a_wide_character_leaves_the_last_column_free() -> None:
    record = {"text": "x" * 29 + "日本" * 20 + "y" * 50}
    line, pieces, piece, columns = json.dumps(record, ensure_ascii=False), [], "", 0
    for sign in line:
        size = 1 if sign.isascii() else 2
        if columns + size > 40:
            pieces.append(piece)
            piece, columns = "", 0
        piece, columns = piece + sign, columns + size
    content = unwrap("\n".join([*pieces, piece]).encode(), "file")
    assert content is not None
    assert json.loads(content.text) == record


def test_a_record_that_was_torn_before_it_was_copied_takes_no_other_with_it() -> None:
    torn = json.dumps({"text": "x" * 90})[:95]
    text = folded({"text": "y" * 90}) + "".join(torn[at : at + 40] + "\n" for at in range(0, 95, 40))
    assert told((text + folded({"text": "z" * 90})).encode()).count("\n{") == 2


@pytest.mark.parametrize(
    "lines",
    [
        ['rest of a record"}', *[json.dumps({"text": "x" * 60})] * 3],  # its beginning was lost
        ["840", json.dumps({"text": "x" * 60})],  # a record of another type
        [r'"\udc00"', json.dumps({"text": "x" * 60})],
        ["a warning of a shell", *[json.dumps({"text": "x" * 60})] * 3],
        [json.dumps({"text": "x" * 90})[:60]] * 5,  # cut at a width
        # torn far from the edge
        [json.dumps({"text": "y" * 90})[:58], *[json.dumps({"text": "x" * 48})] * 4, '{"text": "torn', "", 'here"}'],
        textwrap.wrap(json.dumps({"text": "some words of a long text " * 20}), 60, break_long_words=False),
        [json.dumps({"text": "x" * 60})[:-1], *[json.dumps({"text": "x" * 60})] * 3],
        ["[", *[json.dumps({"text": "x" * 60}) + ","] * 3, json.dumps({"text": "x" * 60}), "]"],  # a sound document
        [*[json.dumps({"text": "y" * 90})] * 2, '{"text": "\tx"}' + " " * 40, json.dumps({"text": "x" * 40}), "/**/1"],
        ["\ufeff\ufeff" + json.dumps([{"text": "x" * 60}]), json.dumps([{"text": "y" * 60}])],  # two documents
    ],
)
def test_a_plain_log_that_is_damaged_is_no_copy_from_a_terminal(lines: list[str]) -> None:
    assert told("\n".join(lines).encode()) == "not wrapped"


Pack = Callable[[bytes], bytes]
PACKS: dict[str, Pack] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zstd": lambda data: bytes(zstd_library().compress(data)),
}


@pytest.mark.parametrize("name", PACKS)
def test_compressed_text(name: str) -> None:
    assert told(PACKS[name](b"{1}\n")) == f"{{1}}\n<- a file compressed with {name}"
    assert told(PACKS[name](b"{1}\n") + PACKS[name](b"{2}\n")).startswith("{1}\n{2}\n<-")


def test_a_compressed_quotation_names_both() -> None:
    data = gzip.compress(b"hi\n> {1}\n")
    assert told(data) == "{1}<- a quoted email at line 2, in a file compressed with gzip"


@pytest.mark.parametrize("name", ["gzip", "xz", "bzip2"])
def test_compressed_data_that_is_cut_off_or_a_bomb_is_said_to_be(name: str) -> None:
    data = PACKS[name](LOG * 20)
    with pytest.raises(CutOffFile, match="file is cut off"):
        unwrap(data[: len(data) // 2], "file")
    with pytest.raises(DamagedFile, match="more than 200 times as large"):
        unwrap(PACKS[name](bytes(30_000_000)), "file")


def entry(body: object, status: int) -> object:
    post = {"postData": {"mimeType": "application/json", "text": body if isinstance(body, str) else json.dumps(body)}}
    return {"request": {"method": "POST", "url": "https://api", **post}, "response": {"status": status}}


@pytest.mark.parametrize(
    ("entries", "place"),
    [
        (
            [(REQUEST, 200), (REQUEST, 400), ("x", 400)],
            "request 2 of 3 in a HAR file (rejected with status 400)",
        ),
        ([(REQUEST, 200), ({"query": 1}, 200)], "request 1 of 2 in a HAR file"),
        ([({"query": 1}, 500)], ""),
    ],
)
def test_the_refused_request_of_a_har(entries: list[tuple[object, int]], place: str) -> None:
    data = json.dumps({"log": {"version": "1.2", "entries": [entry(*each) for each in entries]}}).encode()
    content = unwrap(data, "file")
    assert (content.place if content else "") == place
    assert content is None or json.loads(content.text) == REQUEST


def test_plain_logs_are_told_by_their_first_character(samples: Path) -> None:
    logs = (path for path in samples.rglob("*") if path.suffix in (".json", ".jsonl"))
    files = [path for path in logs if not path.name.startswith("otel-")]  # which is always a wrapper
    assert len(files) > 30
    assert [path.name for path in files if may_be_wrapped(path.read_bytes()[:WRAPPER_HEAD_SIZE])] == []


def fenced_log(tmp_path: Path) -> Path:
    path = tmp_path / "issue.md"
    path.write_bytes(b"# Bug\n\n```json\n" + LOG + b"```\n")
    return path


def test_every_answer_says_what_the_log_was_read_from(tmp_path: Path) -> None:
    path, place = fenced_log(tmp_path), "a Markdown fence at line 3"
    assert product.check(path).session["read_from"] == place
    assert f"  Source  Read from {place}. Line numbers refer" in product.run("check", str(path)).output
    assert f"Read from: {place}" in product.run("check", str(path), "--content-free").output
    assert inspector.judge(path).files[0].read_from == place
    assert inspector.judge(path.read_bytes()).files[0].read_from == place
    engine = WindowEngine()
    assert engine.open(str(path)).overview.read_from == place
    engine.close()


def test_a_repair_is_a_new_plain_file_and_the_wrapper_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = fenced_log(tmp_path)
    before = path.read_bytes()
    refused = product.run("repair", str(path), "--in-place")
    assert (refused.exit_code, "was read from a Markdown fence at line 3. Save a copy." in refused.output) == (1, True)
    assert product.repair(path, None).code == 0
    repaired = tmp_path / "issue.repaired.jsonl"
    assert product.check(repaired).session["verdict"] == "healthy"
    assert repaired.read_bytes().startswith(LOG.splitlines(keepends=True)[0])
    assert path.read_bytes() == before
    with inspector.open(path) as log:
        assert log.save_modes == ("copy",)


def test_a_wrapper_that_has_changed_is_not_repaired_from_its_old_text(tmp_path: Path) -> None:
    path = fenced_log(tmp_path)
    door = product.Door(path)
    with path.open("ab") as file:
        file.write(b"more")
    with pytest.raises(product.Refused, match="has changed since it was read"):
        door.save("copy", tmp_path / "out.jsonl")
    door.close()


def test_a_log_in_memory_is_unwrapped() -> None:
    with inspector.open(b"```\n" + LOG + b"```\n") as log:
        assert log.source.read_from == "a Markdown fence at line 1"
