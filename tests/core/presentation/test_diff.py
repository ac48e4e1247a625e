"""A record beside its planned version, printed: `- ` and `+ ` before each side, words that differ in brackets."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.presentation.detail_pieces import RecordDetails
from inspector.core.presentation.details import details_of_record
from inspector.core.presentation.diff import diff_record
from inspector.core.presentation.diff_result import DiffRequest, DiffRun, DiffSide, DiffViewOptions
from inspector.core.repair.choices import Choices
from tests.core.formats import FORMATS
from tests.support.notation import parse


def parts(raw: bytes) -> RecordDetails:
    """A record whose one block is its `text`."""
    view = RecordView("user", "", (BlockView(BlockKind.TEXT, json.loads(raw)["text"], "/text"),))
    return details_of_record("", view, raw)


def said(side: DiffSide) -> str:
    return "".join(f"[{text}]" if changed else text for text, changed in side.words)


def printed(runs: tuple[DiffRun, ...]) -> str:
    lines = []
    for run in runs:
        if run.kind == "folded":
            lines.append(f"… {run.count} {run.style}".rstrip())
        elif run.kind == "same":
            lines.append(f"  {said(run.before)}")
        else:
            lines += [f"{sign} {said(side)}" for sign, side in (("-", run.before), ("+", run.after)) if side.words]
    return "\n".join(lines)


def compared(before: Any, after: Any, manner: DiffViewOptions = DiffViewOptions()) -> str:  # noqa: B008 - a value that never changes
    sides = [None if each is None else json.dumps(each).encode() for each in (before, after)]
    return printed(diff_record(sides[0], sides[1], parts, manner))


def numbered(count: int, **other: str) -> dict[str, str]:
    lines = [other.get(f"l{number}", f"line {number}") for number in range(count)]
    return {"text": "\n".join(lines), "uuid": "1"}


def test_changed_words_are_marked_and_what_is_the_same_is_folded() -> None:
    assert compared(numbered(20), numbered(20, l10="line eleven")) == (
        "  text\n… 7\n  line 7\nline 8\nline 9\n- line [10]\n+ line [eleven]\n"
        "  line 11\nline 12\nline 13\n… 6\n… 1 field"
    )


def test_an_added_record_begins_with_its_text_and_its_envelope_is_folded() -> None:
    assert compared(None, {"uuid": "1", "parent": "2", "text": "No result\nwas recorded."}) == (
        "+ text\n+ No result\nwas recorded.\n… 2 field"
    )


def test_a_removed_record_is_whole_on_its_side() -> None:
    assert compared({"text": "gone"}, None) == "- text\n- gone"


def test_other_members_are_shown_where_they_change() -> None:
    assert compared({"text": "same", "uuid": "1", "parent": "a"}, {"text": "same", "uuid": "1", "parent": "b"}) == (
        '  text\n  same\n… 1 field\n- parent: "[a]"\n+ parent: "[b]"'
    )


def test_what_is_not_read_is_compared_as_json() -> None:
    raws = (b'{"text": "same"}', b'{"text":"same", "text":"same"}')
    assert printed(diff_record(*raws, parts, DiffViewOptions())) == '  {\n+   "text": "same",\n    "text": "same"\n}'


def test_as_json_and_unfolded() -> None:
    assert compared({"text": "a", "uuid": "1"}, {"text": "b", "uuid": "1"}, DiffViewOptions(as_json=True)) == (
        '  {\n-   "text": "[a]",\n+   "text": "[b]",\n    "uuid": "1"\n}'
    )
    assert "…" not in compared(numbered(20), numbered(20, l10="other"), DiffViewOptions(unfolded=True))


def test_kept_records_show_how_they_begin() -> None:
    assert compared(numbered(9), numbered(9)) == "  text\n  line 0\nline 1\nline 2\n… 6\n… 1 field"


def test_a_record_comes_in_the_pieces_that_its_details_are_drawn_in() -> None:
    call = BlockView(BlockKind.CALL, '{"command": "npm test", "timeout": 9}', "/0", "Bash", "A")
    result = BlockView(BlockKind.RESULT, "\x1b[31m1 failed\x1b[0m", "/1", "", "B")
    view = RecordView("assistant", "", (BlockView(BlockKind.TEXT, "so:\n```py\nx = 1\n```\n", "/2"), call, result))
    runs = diff_record(b"[0, 0, 0]", None, lambda raw: details_of_record("", view, raw), DiffViewOptions())
    assert [(run.before.kind.name, said(run.before)) for run in runs if not run.style] == [
        ("MARKDOWN", "so:\n"),
        ("CODE", "x = 1"),
        ("SHELL", "npm test"),
        ("TABLE", "timeout\t9"),
        ("TERMINAL", "\x1b[31m1 failed\x1b[0m"),
    ]


@pytest.mark.parametrize("manner", [DiffViewOptions(), DiffViewOptions(as_json=True), DiffViewOptions(unfolded=True)])
@pytest.mark.parametrize("text", ["x" * 2_000_000, "word " * 400_000, "line\n" * 100_000])
def test_records_of_megabytes_come_back_clipped(text: str, manner: DiffViewOptions) -> None:
    record = {"text": text}
    for before, after in ((record, {"text": f"a{text}b"}), (None, record), (record, record)):
        sides = [None if each is None else json.dumps(each).encode() for each in (before, after)]
        runs = diff_record(sides[0], sides[1], parts, manner)
        shown = sum(len(part) for run in runs for side in (run.before, run.after) for part, _ in side.words)
        assert shown < (1_000_000 if manner.unfolded else 60_000)


def test_a_plan_tells_its_records(tmp_path: Path) -> None:
    engine = WindowEngine()
    engine.open(str(FORMATS["openai-chat"].write(parse('u"go" | a{A} | u"stop" | a"ok"'), tmp_path)))
    changes = [each for each in engine.preview(Choices()).changes if each.slot >= 0]
    found = engine.diff_changes(
        Choices(), tuple(DiffRequest(each.slot, each.mark) for each in changes), DiffViewOptions()
    )
    engine.close()
    told = dict(zip((each.mark for each in changes), map(printed, found), strict=True))
    assert told["added"].startswith("+ result · A\n+ [No result was recorded for this call")


@pytest.mark.usefixtures("ends")
def test_lines_and_words_that_repeat_are_compared_at_once() -> None:
    for sign in ("\n", " "):
        one, other = sign.join(["a"] * 1400), sign.join(["a", "b"] * 700)
        assert compared({"text": one}, {"text": other})


@pytest.mark.parametrize("manner", [DiffViewOptions(), DiffViewOptions(as_json=True)])
def test_a_record_may_be_nested_deeply(manner: DiffViewOptions) -> None:
    one, other = (b'{"text": "t", "x": ' + b"[" * 1020 + leaf + b"]" * 1020 + b"}" for leaf in (b"1", b"2"))
    assert "2" in printed(
        diff_record(one, other, lambda raw: details_of_record("", RecordView("user", "", ()), raw), manner)
    )
