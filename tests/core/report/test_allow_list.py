"""A field leaves in a shareable report only for a reason that it names, and its values are of that kind."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct

from inspector.core.engine.log import OpenLog
from inspector.core.report.shareable import model
from inspector.core.report.shareable.builder import ShareableReportBuilder
from inspector.core.report.shareable.log_content_reader import LogContentReader
from inspector.core.report.shareable.model import DisclosureReason, ShareableReport, ShareableStruct
from tests.core.report.planted import written

STRUCTS = [
    each for each in vars(model).values() if isinstance(each, type) and issubclass(each, Struct) and each is not Struct
]
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
# What each kind of value looks like; the other kinds have no shape of their own.
SHAPES: dict[DisclosureReason, str] = {
    DisclosureReason.HASH: r"[0-9a-f]{12}|[A-Z]+\d+:\d+:([0-9a-f]{12}|@\d+):\d+",
    DisclosureReason.PSEUDONYM: r"log-\d+|tool-\d+|[A-Za-z_]+",
    DisclosureReason.SHAPE: rf"|{TIME}|v?\d+[-.\w]*|(/(\d+|\w+|…)?)+",
}


def kinds(struct: type[Struct]) -> Iterator[tuple[str, Any, list[DisclosureReason]]]:
    """The fields of a struct, with their types and the reasons that they name."""
    for field, kind in get_type_hints(struct, include_extras=True).items():
        if field in struct.__struct_fields__:
            yield field, kind, [each for each in get_args(kind) if isinstance(each, DisclosureReason)]


def structs_in(kind: Any) -> set[type[Struct]]:
    """The structs that a type names, however deep."""
    inner = (each for part in get_args(kind) for each in structs_in(part))
    return {kind} if isinstance(kind, type) and issubclass(kind, Struct) else set(inner)


def reported(path: Path, with_content: bool) -> ShareableReport:
    with OpenLog.at(str(path), "") as log:
        report = log.check()
        answers = log.accepted(["anthropic", "openai-chat"])
        builder = ShareableReportBuilder(with_content)
        return ShareableReport((builder.judged_log(report, LogContentReader(report), log.evidence(), answers),))


def values(told: Any) -> Iterator[tuple[DisclosureReason, str, Any]]:
    """Every value of a report that is no struct, with its reason and its field."""
    for field, _, (reason,) in kinds(type(told)):
        value = getattr(told, field)
        if reason is not DisclosureReason.PARTS:
            yield reason, f"{type(told).__name__}.{field}", value
            continue
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else [value]
        for part in parts:
            if part is not None:
                yield from values(part)


@pytest.mark.parametrize("struct", STRUCTS)
def test_every_field_names_its_reason(struct: type[Struct]) -> None:
    assert issubclass(struct, ShareableStruct)
    for field, kind, reasons in kinds(struct):
        assert len(reasons) == 1, field
        assert bool(structs_in(kind)) == (reasons == [DisclosureReason.PARTS]), field


def test_no_part_of_a_report_is_of_another_module() -> None:
    parts = {part for struct in STRUCTS for _, kind, _ in kinds(struct) for part in structs_in(kind)}
    assert parts == {*STRUCTS} - {ShareableStruct, ShareableReport}


def test_a_new_field_does_not_leave_by_default() -> None:
    with pytest.raises(TypeError, match=r"Told\.title has no annotation that states why it may be shared"):
        type("Told", (ShareableStruct,), {"__annotations__": {"title": str}, "__module__": __name__}, frozen=True)


@pytest.fixture(params=["written", "samples"])
def logs(request: pytest.FixtureRequest, samples: Path, tmp_path: Path) -> list[Path]:
    return [written(tmp_path)] if request.param == "written" else sorted(samples.glob("*-*.json*"))


@pytest.mark.parametrize("with_content", [False, True])
def test_values_are_of_the_kind_that_their_field_names(with_content: bool, logs: list[Path]) -> None:
    seen: set[str] = set()
    for path in logs:
        for reason, field, value in values(reported(path, with_content)):
            if reason is DisclosureReason.COUNT:
                each = value if isinstance(value, tuple) else (value,)
                assert all(part is None or isinstance(part, int) for part in each), field
            elif reason is DisclosureReason.REDACTED:
                seen.update([field] if value else [])
            elif value is not None and reason in SHAPES:
                assert re.fullmatch(SHAPES[reason], value), (path.name, field, value)
    assert bool(seen) == with_content


@pytest.mark.parametrize("read", [LogContentReader.block, LogContentReader.beginning])
def test_without_content_no_text_is_read(
    read: Callable[..., str], logs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> str:
        raise AssertionError(read.__name__)

    monkeypatch.setattr(LogContentReader, read.__name__, never)
    for path in logs:
        reported(path, with_content=False)
