"""Damaged lines and odd bytes (T49–T53 and their neighbours): what is sound comes back byte for byte."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.core.discovery import opening
from inspector.core.storage.json_text import LONE_SURROGATE
from tests.core.formats import FORMATS as ALL
from tests.core.repair.logs import repaired, saved
from tests.support import product
from tests.support.notation import FORMATS, claude_code, lines, openai_messages, parse
from tests.support.projection import printed

HISTORY = 'u | a"look"{A} | r(A=alpha) | a"done" | u"next" | a"last"'
WHOLE = claude_code(parse(HISTORY))
LINES = WHOLE.splitlines(keepends=True)
MARKED = ("codex", "gemini-cli", "pi")  # whose agents read nothing of a file that begins with a byte order mark


def log(folder: Path, data: bytes) -> Path:
    return saved(folder, "claude-code", data)


def quarantined(path: Path) -> bytes:
    """The damaged bytes that were put aside, each piece under a line with its offset, and in its place in the log."""
    aside, data, pieces = path.with_name(f"repaired{path.suffix}.quarantine").read_bytes(), path.read_bytes(), b""
    while aside:
        head, _, rest = aside.partition(b"\n")
        told = re.fullmatch(rb"--- offset (\d+), (\d+) bytes", head)
        assert told is not None
        offset, length = map(int, told.groups())
        piece, aside = rest[:length], rest[length + 1 :]
        assert piece == data[offset : offset + length]
        pieces += piece
    return pieces


def test_t49_a_torn_last_line_alone_goes(tmp_path: Path) -> None:
    torn = b'{"type":"assis'
    path = log(tmp_path, WHOLE + torn)
    assert "F1" in product.check(path).rules
    data, _ = repaired(path, "claude-code")
    assert data == WHOLE
    assert torn in quarantined(path)


@pytest.mark.parametrize("small", [len(WHOLE), 0], ids=["read at once", "read in pieces"])
def test_t50_a_whole_last_line_without_newline_stays(
    small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_SMALL", small)
    path = log(tmp_path, WHOLE[:-1])
    session = product.check(path).session
    assert (session["verdict"], session["records"]) == ("healthy", len(LINES))
    assert repaired(path, "claude-code")[0] == WHOLE[:-1]


def test_t51_the_line_fused_with_a_torn_one_is_recovered(tmp_path: Path) -> None:
    torn = LINES[4][: LINES[4].index(b"done") + 2]
    path = log(tmp_path, b"".join([*LINES[:4], torn, *LINES[5:]]))
    assert "F2" in product.check(path).rules
    data, _ = repaired(path, "claude-code")
    assert printed(data, "claude-code") == 'u | a"look"{A} | r(A=alpha)+"next" | a"last"'
    assert torn in quarantined(path)


def test_a_line_torn_right_behind_a_block_holds_no_other_record(tmp_path: Path) -> None:
    at = LINES[4].index(b'{"type"', 1)
    torn = LINES[4][: LINES[4].index(b"}", at) + 1]
    assert product.check(log(tmp_path, b"".join([*LINES[:4], torn]))).rules & {"F1", "F2"} == {"F1"}


def test_t52_a_run_of_nul_bytes_hides_nothing_after_it(tmp_path: Path) -> None:
    path = log(tmp_path, b"".join([*LINES[:3], b"\0" * 300 + b"\n", *LINES[3:]]))
    answer = product.check(path)
    assert "F3" in answer.rules
    assert answer.session["calls"] == answer.session["results"] == 1
    assert repaired(path, "claude-code")[0] == WHOLE


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("F3", bytes(20), b""),
        ("F3", b"", bytes(20)),
        ("F6", b"", b"}"),
        ("F6", b"", b" -- not json --"),
        ("F6", b"", b'{"type":"assis'),
    ],
)
@pytest.mark.parametrize("last", [False, True], ids=["in the middle", "at the end"])
def test_a_whole_record_on_a_damaged_line_is_kept(
    rule: str, before: bytes, after: bytes, last: bool, tmp_path: Path
) -> None:
    """The result in it was lost, and its call got a placeholder, although Claude Code 2.1.330 reads such a line."""
    rest = [] if last else LINES[4:]
    whole = b"".join([*LINES[:4], *rest])
    path = log(tmp_path, b"".join([*LINES[:3], before, LINES[3].rstrip(b"\n"), after, b"\n", *rest]))
    assert rule in product.check(path).rules
    assert repaired(path, "claude-code")[0] == whole
    lost = after.strip(bytes(1))
    assert not lost or quarantined(path) == lost.lstrip()


def test_t53_a_record_broken_by_raw_newlines_is_one_again(tmp_path: Path) -> None:
    records = [json.loads(line) for line in LINES]
    records[3]["message"]["content"][0]["content"] = "one\ntwo\nthree"
    whole = lines(records)
    path = log(tmp_path, whole.replace(b"one\\ntwo\\nthree", b"one\ntwo\nthree"))
    answer = product.check(path)
    assert [finding["rule"] for finding in answer.findings if finding["rule"][0] == "F"] == ["F4"]
    assert repaired(path, "claude-code")[0] == whole


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("inside", [b'"me', b',"role":"user",'], ids=["a key", "values"])
def test_a_record_broken_outside_of_its_texts_is_the_record_it_was(
    inside: bytes, newline: bytes, tmp_path: Path
) -> None:
    whole = WHOLE.replace(b'"message":{"role":"user",', b'"message":{"a":1,"role":"user",').replace(b"\n", newline)
    at = whole.index(inside, whole.index(b"alpha") - 200) + len(inside)
    path = log(tmp_path, whole[:at] + newline + whole[at:])
    assert "F4" in product.check(path).rules
    assert repaired(path, "claude-code")[0] == whole


def test_a_line_with_bytes_that_are_no_text_is_reported(tmp_path: Path) -> None:
    path = log(tmp_path, WHOLE.replace(b"alpha", b"al\xff\xfepha"))
    assert "F5" in product.check(path, "--deep").rules


def test_a_line_of_nonsense_in_the_middle_stops_nothing(tmp_path: Path) -> None:
    nonsense = b"-- not json --\n"
    path = log(tmp_path, b"".join([*LINES[:4], nonsense, *LINES[4:]]))
    answer = product.check(path)
    assert "F6" in answer.rules
    assert answer.session["messages"] >= 5
    data, _ = repaired(path, "claude-code")
    assert data == WHOLE
    assert nonsense.strip() in quarantined(path)


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        (rb"\ud83d\ude00", []),
        (rb"\ud83d x", [rb"\ud83d"]),
        (rb"x \ude00", [rb"\ude00"]),
        (rb"\ud83d\ud83d\uDE00", [rb"\ud83d"]),
        (rb"\ude00\ud83d", [rb"\ude00", rb"\ud83d"]),
        (rb"\ud83d\ude00\uDe00", [rb"\uDe00"]),
        (rb"\u00e9 ud83d", []),
    ],
)
def test_halves_of_pairs_are_found_and_whole_pairs_are_not(text: bytes, halves: list[bytes]) -> None:
    assert LONE_SURROGATE.findall(text) == halves


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code"])
def test_a_lone_surrogate_is_made_legal(name: str, tmp_path: Path) -> None:
    data = FORMATS[name].render(parse("u | a{A} | r(A=SURROGATE) | a")).replace(b"SURROGATE", b"cut \\ud83d here")
    path = saved(tmp_path, name, data)
    assert "F7" in product.check(path, "--deep").rules
    out, _ = repaired(path, name)
    assert b"\\ud83d" not in out
    assert b"cut " in out
    assert b" here" in out


def test_what_is_no_surrogate_stays(tmp_path: Path) -> None:
    """Behind an escaped backslash the same letters are letters."""
    data = claude_code(parse("u | a{A} | r(A=HERE) | a")).replace(b"HERE", b"half \\ud83d, letters \\\\ud83d")
    out, _ = repaired(log(tmp_path, data), "claude-code")
    assert out == data.replace(b"half \\ud83d", b"half \\ufffd")


def test_a_pair_is_not_broken_by_lines_that_are_fused(tmp_path: Path) -> None:
    """The result can be salvaged whole: its call is not told to have none."""
    path = log(tmp_path, b"".join([*LINES[:2], LINES[2].rstrip(), *LINES[3:]]))
    assert product.check(path).errors == {"F2"}
    assert repaired(path, "claude-code")[0] == WHOLE


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(
            b'"gitBranch":"main"', b'"gitBranch":"m\\u0061in","n":1.50e3,"big":123456789012345678901'
        ),
        lambda data: data.replace(b'"look"', b'"l\\u006f\\/k \\u00e9"'),
        lambda data: data.replace(b"\n", b" \n\n", 1),
        lambda data: data + b"\n",
    ],
    ids=["crlf", "bom", "odd numbers and escapes", "escapes in text", "blank line", "blank last line"],
)
def test_odd_but_sound_bytes_come_back_the_same(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = log(tmp_path, change(WHOLE))
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", [*MARKED, "claude-code", "kimi-code", "kimi-cli", "qwen-code"])
def test_a_byte_order_mark_goes_where_the_agent_does_not_read_on_behind_it(name: str, tmp_path: Path) -> None:
    """As Codex 0.169.0, pi 0.87.1 and Gemini CLI 0.61.0 were seen to do; the others pass it by."""
    path = ALL[name].write(parse(HISTORY), tmp_path)
    whole = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + whole)
    assert ("F8" in product.check(path).errors) == (name in MARKED)
    out = tmp_path / f"out{path.suffix}"
    assert product.repair(path, out).losses == []
    assert out.read_bytes() == (whole if name in MARKED else path.read_bytes())


def test_a_byte_order_mark_within_a_log_goes_from_any(tmp_path: Path) -> None:
    path = log(tmp_path, b"".join([*LINES[:2], b"\xef\xbb\xbf", *LINES[2:]]))
    assert product.check(path).errors == {"F8"}
    assert repaired(path, "claude-code")[0] == WHOLE


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_lines_beside_an_edit_keep_their_bytes(newline: bytes, bom: bytes, tmp_path: Path) -> None:
    broken = claude_code(parse('u | a{A,B} | r(A=alpha) | u"next" | a"last"'))
    path = log(tmp_path, bom + broken.replace(b"\n", newline).removesuffix(newline))
    out = tmp_path / "out.jsonl"
    answer = product.repair(path, out)
    assert answer.code == 0
    before, after = path.read_bytes().split(newline), out.read_bytes().split(newline)
    assert len(after) == len(before) + 1
    assert len([line for line in after if line not in before]) <= len(answer.edits)
    assert out.read_bytes().startswith(bom + b"{")
    assert out.read_bytes().count(b"\n") == out.read_bytes().count(newline)


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_document_keeps_its_indentation_and_everything_else(name: str, tmp_path: Path) -> None:
    data = FORMATS[name].render(parse('u"caf\u00e9" | a{A} | u"next" | a"last"'))
    data = data.replace(b"caf\xc3\xa9", b"caf\\u00e9").replace(b'"last"', b'  "last" ')
    path = saved(tmp_path, name, data)
    out, answer = repaired(path, name)
    assert answer.losses == []
    for piece in (b'"caf\\u00e9"', b'  "last" ', data[: data.index(b"messages")], data[-3:]):
        assert piece in out


@pytest.mark.parametrize("at", [0.3, 0.5, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_document_that_was_cut_gives_back_its_whole_messages(name: str, at: float, tmp_path: Path) -> None:
    history = " | ".join(f'u"q{n}" | a"t{n}"{{c{n}}} | r(c{n}=alpha{n}) | a"ok{n}"' for n in range(6))
    whole = FORMATS[name].render(parse(history))
    path = saved(tmp_path, name, whole[: int(len(whole) * at)])
    out, _ = repaired(path, name)
    shown = printed(out, name)
    kept = [n for n in range(6) if f"alpha{n}" in path.read_text() and f'"ok{n}"' in path.read_text()]
    assert kept
    assert all(f"r(c{n}=alpha{n})" in shown for n in kept)


def test_a_message_without_content_is_kept_beside_when_its_words_stand_elsewhere(tmp_path: Path) -> None:
    record = json.loads(LINES[5])
    record["message"]["content"] = {"type": "text", "text": "where no block belongs"}
    odd = lines([record])
    path = log(tmp_path, b"".join([*LINES[:5], odd, *LINES[6:]]))
    answer = product.repair(path, path.with_name("repaired.jsonl"))
    assert answer.code == 0
    assert "where no block belongs" in answer.lost_text
    assert odd.rstrip(b"\n") in quarantined(path)


def test_an_empty_message_leaves_nothing_beside(tmp_path: Path) -> None:
    record = json.loads(LINES[5])
    record["message"]["content"] = []
    path = log(tmp_path, b"".join([*LINES[:5], lines([record]), *LINES[6:]]))
    assert product.repair(path, path.with_name("repaired.jsonl")).code == 0
    assert not path.with_name("repaired.jsonl.quarantine").exists()


@pytest.mark.parametrize("torn", ["in the middle", "at the end"])
def test_damage_in_the_tail_that_is_cut_goes_with_it(torn: str, tmp_path: Path) -> None:
    """Nothing of a record that is not valid JSON can be listed by its blocks: its bytes are kept, and "
    "the brackets closed."""
    messages = openai_messages(parse('u | a"look"{A} | u"next"'))
    parts = [json.dumps(message).encode() for message in messages]
    if torn == "at the end":
        data = b'{"model":"gpt-4o","messages":[' + b",".join(parts[:2]) + b',{"role":"us'
    else:
        data = b'{"model":"gpt-4o","messages":[' + b",".join([*parts[:2], b'{"role":}', parts[2]]) + b"]}"
    path = saved(tmp_path, "openai", data)
    rule = "D1" if torn == "at the end" else "D2"
    repaired_data, answer = repaired(path, "openai", strategies=f"{rule}=cut-tail F1=leave F6=leave")
    assert printed(repaired_data, "openai") == "u"
    assert "look" in answer.lost_text
    assert b'{"role":' in quarantined(path)


AND_ON = b'{"role":"user","content":"and on"}'


@pytest.mark.parametrize(
    ("messages", "left"),
    [
        (b"[%s,%s]}xx%s", 'u"hi" | a"ok" | u"and on"'),
        (b'[%s,%s],"n":{"m":1%s', 'u"hi" | a"ok" | u"and on"'),
        (b'[%s,%s]}xx{"messages":[%s]}', 'u"hi" | a"ok"'),
        (b'[{"role":0x1},%s,%s]}\n{"messages":[%s]}\n{"messages":0x1}\n{"messages":[]}', 'u"hi" | a"ok"'),
    ],
)
def test_what_stands_behind_a_document_joins_its_messages_or_goes(messages: bytes, left: str, tmp_path: Path) -> None:
    """The brackets before it are no part of it: they stay where they are there, and are written where they are not."""
    whole = [json.dumps(message).encode() for message in openai_messages(parse('u"hi" | a"ok"'))]
    path = saved(tmp_path, "openai", b'{"messages":' + messages % (*whole, AND_ON))
    data, answer = repaired(path, "openai")
    assert printed(data, "openai") == left
    assert "and on" in left or "and on" in answer.lost_text
