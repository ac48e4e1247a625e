"""What was written of a large log is compared with the log as read: only its new lines are decoded once more."""

from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

import pytest

from inspector.core.check.check import Verdict, check, quick_verdict
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.errors import CannotWrite
from inspector.core.formats.claude_code import ClaudeCode
from inspector.core.model.columnar_index import Columns, RecordMark
from inspector.core.model.session import Log
from inspector.core.repair.choices import Choices
from inspector.core.repair.plan import Plan, plan_repair
from inspector.core.save import verify_written as second_reading
from inspector.core.save.save import output_bytes
from inspector.core.save.verify_written import reread_log, verdict_on_written, verified_columns
from inspector.core.storage.source import Source
from tests.core.formats import WRITABLE
from tests.support.notation import claude_code, parse

BROKEN = parse('u | a"t"{A} | u"stop" | a{B,C} | r(B=b) | a"x" | r(Z=z) | a{D} | r(D=d) | r(D=e) | a{E} | u"end"')
LINES = claude_code(BROKEN)


@pytest.fixture(autouse=True)
def nothing_is_small_or_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_reading, "_FULL_READ_LIMIT", -1)
    monkeypatch.setattr(second_reading, "_MAX_NEW_FRACTION", 10)


def planned(source: Source, **choices: Any) -> Plan:
    return plan_repair(check(open_log(source)), Choices(**choices))


def read_compared(written: Source, plan: Plan) -> Log:
    """What was written, read as one that is large is."""
    return reread_log(written, plan, verified_columns(written, plan))


def known(log: Log) -> list[Any]:
    """All that the index and the format made of a log."""
    columns = log.columns
    names = (name for name in columns.__slots__ if not name.startswith("_"))
    paths = [
        (each.id, each.records, each.other_session_ids, [thread.path for thread in each.threads])
        for each in log.sessions
    ]
    return [columns.stable_numbers, *(getattr(columns, name) for name in names), paths]


@pytest.mark.parametrize("preset", ["canonical", "clean"])
@pytest.mark.parametrize("name", WRITABLE)
def test_it_finds_what_a_reading_of_the_whole_finds(name: str, preset: str, tmp_path: Path) -> None:
    with open_source(str(WRITABLE[name].write(BROKEN, tmp_path))) as source:
        if not source.has_lines:
            return
        mended = planned(source, preset=preset)
        written = Source.of_bytes(output_bytes(mended), source.path)
        again = read_compared(written, mended)
        assert known(again) == known(open_log(written, mended.draft.log.format))


@pytest.mark.parametrize(
    "data",
    [LINES[:-1], LINES.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + LINES, b"\n\n" + LINES.replace(b"\n", b"\n\n \n")],
    ids=["no final line end", "CRLF", "BOM", "blank lines"],
)
@pytest.mark.parametrize("strategy", ["answer", "drop-call", "cut-tail"])
def test_line_ends_and_blank_lines_stay_where_they_are(data: bytes, strategy: str) -> None:
    mended = planned(Source.of_bytes(data), rules={"D2": strategy})
    written = Source.of_bytes(output_bytes(mended))
    assert known(read_compared(written, mended)) == known(open_log(written, "claude-code"))


def test_only_new_lines_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    mended = planned(Source.of_bytes(LINES))
    written, decoded = output_bytes(mended), list[bytes]()
    add = ClaudeCode.index_records

    def counted(self: ClaudeCode, columns: Columns, raws: list[bytes]) -> None:
        decoded.extend(raws)
        add(self, columns, raws)

    monkeypatch.setattr(ClaudeCode, "index_records", counted)
    verified_columns(Source.of_bytes(written), mended)
    assert sorted(decoded) == sorted(set(written.split(b"\n")) - set(LINES.split(b"\n")))


@pytest.mark.parametrize("tamper", [lambda data: data.replace(b'"text"', b'"tExt"', 1), lambda data: data + b"\n"])
def test_another_byte_than_planned_is_refused(tamper: Callable[[bytes], bytes]) -> None:
    mended = planned(Source.of_bytes(LINES))
    with pytest.raises(CannotWrite, match="differed at byte"):
        verified_columns(Source.of_bytes(tamper(output_bytes(mended))), mended)


@pytest.mark.parametrize("choices", [{}, {"rules": {"D2": "drop-call"}}, {"profile": "openai-chat"}])
def test_what_the_plan_judged_is_not_judged_again(choices: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    mended = planned(Source.of_bytes(LINES), **choices)
    written, asked = Source.of_bytes(output_bytes(mended)), list[Log]()
    verdict = quick_verdict(open_log(written, "claude-code"))

    def counted(log: Log, live: Container[int]) -> Verdict:
        asked.append(log)
        return quick_verdict(log, live)

    monkeypatch.setattr(second_reading, "quick_verdict", counted)
    assert verdict_on_written(written, mended, renamed=False) == verdict
    assert len(asked) == ("profile" in choices)
    mended.draft.columns.marks[0] ^= RecordMark.TURN_EVENT
    assert verdict_on_written(written, mended, renamed=False) == verdict
    assert len(asked) == 1 + ("profile" in choices)
