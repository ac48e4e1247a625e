"""What the details of a record are: its blocks in pieces of a kind each."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.presentation import detail_pieces, details, formatting
from inspector.core.presentation.detail_pieces import DetailPiece, PieceKind
from inspector.core.presentation.details import bytes_at_pointer, details_of_record, indented_json_at
from inspector.core.presentation.opened_log_facts import view_record
from inspector.core.providers.agent_texts import split_injected_text

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def printed(pieces: tuple[DetailPiece, ...]) -> list[str]:
    told = []
    for piece in pieces:
        said = " ".join(map("=".join, piece.rows)) if piece.rows else piece.text.replace("\n", "⏎")
        told.append(" ".join(filter(None, (piece.kind.name.lower(), piece.title, said, "#" * piece.gutter))))
    return told


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("Bash", {"command": "a |\nb", "timeout": 5}, ["shell a |⏎b", "table timeout=5"]),
        ("shell", {"command": ["bash", "-lc", "ls -l"], "workdir": "/w"}, ["shell ls -l", "table workdir=/w"]),
        ("Read", {"file_path": "/w/a.py"}, ["table file_path=/w/a.py"]),
        ("Edit", {"file_path": "a.py", "old_string": "x\ny", "new_string": "x\nz"}, ["diff a.py  x⏎-y⏎+z"]),
        ("MultiEdit", {"path": "a", "edits": [{"old_string": "1", "new_string": "2"}]}, ["diff a -1⏎+2"]),
        ("Write", {"file_path": "a.py", "content": "x = 1"}, ["code a.py x = 1"]),
        ("apply_patch", {"input": "*** Begin Patch\n+a"}, ["diff *** Begin Patch⏎+a"]),
        ("ipython", {"code": "1 + 1"}, ["code code.py 1 + 1"]),
        ("Task", {"prompt": "Do\nthis", "n": [1, 2]}, ["markdown prompt Do⏎this", "table n=[ 1, 2 ]"]),
        ("str_replace_editor", {"command": "view", "path": "a"}, ["table command=view path=a"]),
        ("Stop", {}, []),
    ],
)
def test_an_input_is_told_by_what_it_holds(name: str, given: dict[str, Any], expected: list[str]) -> None:
    assert printed(details.input_pieces(json.dumps(given), name)) == expected


def test_an_input_that_is_no_object() -> None:
    assert printed(details.input_pieces("ls -l", "bash")) == ["shell ls -l"]
    assert printed(details.input_pieces("*** Begin Patch\n-a", "apply_patch")) == ["diff *** Begin Patch⏎-a"]
    assert printed(details.input_pieces('{"torn', "Read")) == ['prose {"torn']
    assert details.input_pieces("", "x") == ()


@pytest.mark.parametrize(
    ("text", "read", "expected"),
    [
        ("\x1b[1mok\x1b[0m", "", ["terminal \x1b[1mok\x1b[0m"]),
        ('{"a":1}', "", ['json {⏎  "a": 1⏎}']),
        ("{not json", "", ["terminal {not json"]),
        ('{"output":"a\\nb","metadata":{"exit_code":0}}', "", ["terminal a⏎b", 'table metadata={ "exit_code": 0 }']),
        ('{"output":"a"}', "", ["terminal a"]),
        ("diff --git a/x b/x\n-1", "", ["diff diff --git a/x b/x⏎-1"]),
        ("--- a\n+++ b\n@@ -1 +1 @@\n-x", "", ["diff --- a⏎+++ b⏎@@ -1 +1 @@⏎-x"]),
        ("     1→x = 1\n     2→y", "a.py", ["code a.py      1→x = 1⏎     2→y #"]),
        ("x = 1", "a.py", ["code a.py x = 1"]),
        ("# Title", "README.md", ["markdown # Title"]),
    ],
)
def test_a_result_is_told_by_what_it_is(text: str, read: str, expected: list[str]) -> None:
    assert printed(details.output_pieces(text, read)) == expected


def test_what_a_call_reads_tells_what_its_result_is() -> None:
    assert details.file_read_by('{"file_path": "/w/a.py"}', "Read") == "/w/a.py"
    assert details.file_read_by('{"pattern": "x", "path": "a.py"}', "Grep") == ""
    assert details.file_read_by('{"command": "cat a.py"}', "Bash") == ""
    assert details.file_read_by('{"url": "x"}', "WebFetch") == "answer.md"


def test_what_the_program_added_is_told_from_what_was_typed() -> None:
    text = "Fix it\nplease <b>\n<system-reminder>\nrules\n</system-reminder>\nnow"
    expected = ["prose Fix it⏎please <b>", "context <system-reminder>⏎rules⏎</system-reminder>", "prose now"]
    assert printed(details.message_pieces(text, by_model=False)) == expected
    assert printed(details.message_pieces("<environment_context>x</environment_context>", by_model=False))[
        0
    ].startswith("context")


def test_code_stands_apart_in_markdown() -> None:
    expected = ["markdown A⏎", "code py x = 1", "markdown B⏎", "code open"]
    assert printed(details.message_pieces("A\n```py\nx = 1\n```\nB\n```\nopen", by_model=True)) == expected


def _result_with_an_image(text: str) -> object:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": text}, image]}
    raw = json.dumps({"role": "user", "content": [result]}).encode()
    return details_of_record("anthropic-messages", view_record("anthropic-messages", raw), raw)


def _edit_of_lines_that_are_alike() -> str:
    def line(number: int) -> str:
        return "".join("ab"[number * step % 7 % 2] for step in range(40))

    old, new = ("\n".join(map(line, range(first, first + 400))) for first in (1, 500))
    return json.dumps({"file_path": "a", "old_string": old, "new_string": new})


@pytest.mark.usefixtures("ends")
@pytest.mark.parametrize(
    "told",
    [
        pytest.param(
            lambda: split_injected_text("</x>" + "<system-reminder>" * 100_000), id="tags that are never closed"
        ),
        pytest.param(lambda: _result_with_an_image("[image]\n" * 40 + "x"), id="names of images"),
        pytest.param(lambda: details.message_pieces("\n" * 10_000 + "x", by_model=True), id="blank lines"),
        pytest.param(lambda: details.message_pieces("`" * 200_000 + "x", by_model=True), id="fences"),
        pytest.param(lambda: list(detail_pieces.styled_runs("\x1b[" + "1;" * 600_000 + "1mx")), id="colours"),
        pytest.param(lambda: details.input_pieces(_edit_of_lines_that_are_alike(), "Edit"), id="lines that are alike"),
    ],
)
def test_no_text_makes_its_reader_wait(told: Callable[[], object]) -> None:
    assert told()


def test_many_tables_are_not_laid_out() -> None:
    assert details.message_pieces("a|b\n-|-\n" * 1500, by_model=True)[0].kind == PieceKind.PROSE


def test_colours_are_runs_and_other_codes_stay() -> None:
    runs = list(detail_pieces.styled_runs("a\x1b[1;31mb\x1b[0m\x1b[38;5;208mc\x1b[48;2;1;2;3md\x1b[2K\x1b[me"))
    assert [text for text, _ in runs] == ["a", "b", "c", "d\x1b[2K", "e"]
    looks = [look for _, look in runs]
    assert looks[1] == detail_pieces.AnsiStyle(ink=1, bold=True)
    assert looks[2].ink == "#ff8700"
    assert looks[3].ground == "#010203"
    assert looks[0] == looks[4] == detail_pieces.PLAIN_STYLE


def test_a_record_in_parts() -> None:
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "text", "text": "ok"},
        {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "a.py"}},
    ]
    raw = json.dumps({"role": "assistant", "content": content}).encode()
    told = details_of_record("anthropic-messages", view_record("anthropic-messages", raw), raw)
    assert [printed(part.pieces) for part in told.parts] == [["thinking hm"], ["markdown ok"], ["table file_path=a.py"]]
    assert told.parts[2].given == '{\n  "file_path": "a.py"\n}'


def test_pictures_are_told_by_their_data() -> None:
    def image(data: str) -> dict[str, Any]:
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}

    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "seen"}, image(PIXEL)]}
    svg = image("PHN2Zz48L3N2Zz4=")
    raw = json.dumps({"role": "user", "content": [result, image(PIXEL), svg]}).encode()
    told = details_of_record("anthropic-messages", view_record("anthropic-messages", raw), raw)
    kinds = [[piece.kind for piece in part.pieces] for part in told.parts]
    assert kinds == [[PieceKind.TERMINAL, PieceKind.IMAGE], [PieceKind.IMAGE], [PieceKind.PROSE]]
    assert told.parts[0].text == "seen\nimage/png, 72 bytes"


def test_a_format_that_is_not_known_has_texts() -> None:
    view = RecordView("user", "", (BlockView(BlockKind.RESULT, "x", "/nowhere"),))
    assert printed(details_of_record("?", view, b"torn").parts[0].pieces) == ["terminal x"]


def test_what_is_copied_of_a_record() -> None:
    raw = b'{"a": {"n": 1e400, "t":"\\u4e2d"}, "b": [1]}'
    assert bytes_at_pointer(raw, "/a") == b'{"n": 1e400, "t":"\\u4e2d"}'
    assert indented_json_at(raw, "/b") == "[\n  1\n]"
    assert bytes_at_pointer(raw, "/nowhere") == raw
    assert indented_json_at(b'{"torn', "/x") == '{"torn'


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("2026-03-14T09:07:12.740Z", "09:07:12"),
        ("1773479232", "09:07:12"),
        ("1773479232.5", "09:07:12"),
        ("1773479232740", "09:07:12"),
        ("yesterday", "yesterday"),
        ("", ""),
    ],
)
def test_times_are_those_of_a_clock(time: str, shown: str) -> None:
    assert formatting.time_of_day(time) == shown


@pytest.mark.parametrize(
    ("time", "asked", "after"),
    [
        ("2026-03-14T09:07:12.740Z", "09:07", True),
        ("2026-03-14 09:07:12", "2026-03-14T09:08", False),
        ("2026-03-14 09:07:12", "2026-03-14", True),
        ("1773479232740", "09:07:13", False),
        ("1773479232740", "2026-03-14 09:07", True),
    ],
)
def test_times_fall_before_or_after(time: str, asked: str, after: bool) -> None:
    assert formatting.matches_time_filter(time, asked, after=after)
    assert not formatting.matches_time_filter(time, asked, after=not after)
    assert not formatting.matches_time_filter("yesterday", asked, after=after)


def test_waits_are_told_in_units_that_read() -> None:
    assert formatting.seconds_between("2026-03-14T09:00:00Z", "2026-03-14T09:03:20Z") == 200
    assert formatting.seconds_between("2026-03-14T09:00:00Z", "1773478860") == 60
    assert formatting.seconds_between("2026-03-14T09:00:00Z", "soon") is None
    assert formatting.seconds_between("2026-03-14T09:00:01Z", "2026-03-14T09:00:00Z") is None
    told = [formatting.format_duration(each) for each in (0.42, 4, 59.6, 200, 7500, 172_800)]
    assert told == ["0.4 s", "4 s", "1 min", "3 min 20 s", "2 h 5 min", "2 d"]
    assert formatting.format_duration(200, 1) == "3 min"
