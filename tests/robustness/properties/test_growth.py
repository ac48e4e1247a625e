"""Twice the anomalies take twice the steps: nothing looks at the whole log, or at a whole message, for each of them.

So it is for a check with its evidence, for the plan of a repair, for what is reported of both, and for the save.

Lines of the product that are run are counted instead of seconds, which other work on the machine would change, and so
is each time that a function is entered, or a generator goes on. Every line must grow linearly by itself: in the sum of
all, a short loop within `any` would go unseen. The bytes that are parsed count as well, because no line shows how long
a text is. What the interpreter does in one step is shown by `tests.benchmarks.growth`.
"""

import dis
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Container
from functools import partial
from pathlib import Path
from types import CodeType, FrameType, SimpleNamespace
from typing import Any

import orjson
import pytest

import inspector
from inspector.core.analysis import damage
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.check.check import check
from inspector.core.check.execution_evidence import evidence_by_finding
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.formats.langchain import LangChain
from inspector.core.repair.choices import Choices
from inspector.core.repair.plan import plan_repair
from inspector.core.report.repair import repaired_sessions
from inspector.core.save.save import save_copy
from inspector.core.storage import json_lines, json_text
from inspector.core.storage.json_lines import nonblank_lines
from inspector.core.storage.json_spans import raw_json_at
from tests.core.formats import WRITABLE
from tests.support import thorough
from tests.support.notation import Call, History, Result, Text, Turn
from tests.support.packing import packed
from tests.support.thorough import one_of

FEWEST = 10
# Of the steps that the second doubling adds to those that the first one adds: 2 is linear, 4 quadratic.
MOST = 2.3
# As many steps of a line for each anomaly are not looked at: a line may be run for each doubling of something.
FEW = 8
PARSED = 100  # so many bytes that are parsed count as one step
Line = tuple[str, int]
HOME = os.path.dirname(inspector.__file__)
# Where a search by halves takes a step more when there are twice as many: the place of a call in its list of calls.
HALVING = {
    (code.co_filename, line)
    for code in LangChain.pointer.__code__.co_consts
    if isinstance(code, CodeType) and code.co_name == "is_of_its_list"
    for *_, line in code.co_lines()
}
BACKWARD = {number for name, number in dis.opmap.items() if "BACKWARD" in name}  # the jumps of loops


def user(*parts: Any) -> Turn:
    return Turn("user", parts or (Text("go on"),))


def exchanges(count: int, id_of: Callable[[int], str]) -> History:
    turns = [user()]
    for number in range(count):
        turns += [Turn("assistant", (Call(id_of(number)),)), user(Result(id_of(number), f"output {number}"))]
    return [*turns, Turn("assistant", (Text("ok"),))]


def reused_ids(count: int) -> History:
    return exchanges(count, lambda number: f"call_{number % (count // 5)}")


def one_id_reused(count: int) -> History:
    return exchanges(count, lambda number: "call")


def unanswered_calls(count: int) -> History:
    turns = [turn for number in range(count) for turn in (Turn("assistant", (Call(f"call_{number}"),)), user())]
    return [user(), *turns]


def unanswered_calls_of_one_turn(count: int) -> History:
    return [user(), Turn("assistant", tuple(Call(f"call_{number}") for number in range(count))), user()]


def unanswered_calls_of_one_id(count: int) -> History:
    return [user(), *(turn for _ in range(count) for turn in (Turn("assistant", (Call("call"),)), user()))]


def unanswered_calls_of_one_id_and_turn(count: int) -> History:
    return [user(), Turn("assistant", tuple(Call("call") for _ in range(count))), user()]


def half_of_the_calls_answered(count: int) -> History:
    answered = user(*(Result(f"call_{number}", f"output {number}") for number in range(0, count, 2)))
    calls = Turn("assistant", tuple(Call(f"call_{number}") for number in range(count)))
    return [user(), calls, answered, Turn("assistant", (Text("ok"),))]


def fragments_of_calls(count: int) -> History:
    return [user(), *(Turn("assistant", (Call(f"call_{number}"),)) for number in range(count)), user()]


def words_in_a_row(count: int) -> History:
    return [*(user(Text(f"prompt {number}")) for number in range(count)), Turn("assistant", (Call("call"),)), user()]


def results_last(count: int) -> History:
    turns = [turn for number in range(count) for turn in (Turn("assistant", (Call(f"call_{number}"),)), user())]
    return [user(), *turns, *(user(Result(f"call_{number}", f"output {number}")) for number in range(count))]


def results_of_one_call(count: int) -> History:
    results = [user(Result("call", f"output {number}")) for number in range(count)]
    return [user(), Turn("assistant", (Call("call"),)), *results, Turn("assistant", (Text("ok"),))]


def results_of_one_call_in_one_turn(count: int) -> History:
    results = user(*(Result("call", f"output {number}") for number in range(count)))
    return [user(), Turn("assistant", (Call("call"),)), results, Turn("assistant", (Text("ok"),))]


def orphans_of_one_turn(count: int) -> History:
    orphans = user(*(Result(f"call_{number}", f"output {number}") for number in range(count)))
    return [user(), Turn("assistant", (Text("ok"),)), orphans, Turn("assistant", (Text("ok"),))]


def fragments_that_lead_from_step_to_step(count: int) -> History:
    """Behind an open call, each step holds the end of one message and the beginning of the next; most are sound."""

    def step(number: int) -> History:
        messages = (f"message_{number}", f"message_{number + 1}")
        return [user(), *(Turn("assistant", (Text("ok"),), message) for message in messages)]

    chained = [turn for number in range(count) for turn in step(number)]
    sound = [turn for _ in range(5 * count) for turn in (user(), Turn("assistant", (Text("ok"),)))]
    return [user(), Turn("assistant", (Call("call"),), "message_0"), *chained, *sound]


def calls_under_names_that_are_refused(count: int) -> History:
    ids = [f"call_{number}" for number in range(count)]
    calls = Turn("assistant", tuple(Call(call_id, name="read it!") for call_id in ids))
    return [user(), calls, user(*(Result(call_id, "alpha") for call_id in ids)), Turn("assistant", (Text("ok"),))]


def illegal_ids_of_one_turn(count: int) -> History:
    calls = Turn("assistant", tuple(Call(f"call no. {number}") for number in range(count)))
    return [user(), calls, user(*(Result(f"call no. {number}", "alpha") for number in range(count)))]


def results_after_text(count: int) -> History:
    calls = Turn("assistant", tuple(Call(f"call_{number}") for number in range(count)))
    results = (Result(f"call_{number}", f"output {number}") for number in reversed(range(count)))
    return [user(), calls, user(Text("first"), *results)]


HISTORIES = [
    reused_ids,
    one_id_reused,
    unanswered_calls,
    unanswered_calls_of_one_turn,
    unanswered_calls_of_one_id,
    unanswered_calls_of_one_id_and_turn,
    half_of_the_calls_answered,
    fragments_of_calls,
    results_last,
    results_of_one_call,
    results_of_one_call_in_one_turn,
    orphans_of_one_turn,
    illegal_ids_of_one_turn,
    results_after_text,
]


def steps_of(work: Callable[[], None]) -> int:
    """The lines of the product that are run, and the functions that are entered."""
    return sum(count for (file, _), count in steps_by_line(work).items() if file != "parsed")


def steps_by_line(work: Callable[[], None], files: Container[str] | None = None) -> Counter[Line]:
    """How often each function is entered or goes on, and each line of one that loops is run; and what is parsed.

    Without a loop, no line is run more often than its function is entered. `files` are looked at, or the whole product.
    """
    counted: dict[int, Steps] = {}  # by identity: the hash of a function's code is that of all that is in it

    def entered(frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        steps = counted.get(id(code))
        if steps is None:
            if not code.co_filename.startswith(HOME) or (files is not None and code.co_filename not in files):
                return None
            steps = counted[id(code)] = Steps(code)
        steps.entered += 1
        return steps.trace

    parsed_steps = 0

    def parsed(text: bytes) -> Any:
        nonlocal parsed_steps
        parsed_steps += len(text) // PARSED
        return orjson.loads(text)

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_text, "orjson", SimpleNamespace(**vars(orjson) | {"loads": parsed}))
            work()
    finally:
        sys.settrace(before)
    counts = Counter[Line]({("parsed", 0): parsed_steps})
    for steps in counted.values():
        counts[steps.code.co_filename, -steps.code.co_firstlineno] += steps.entered
        for line, count in steps.lines.items():
            counts[steps.code.co_filename, line] += count
    return counts


class Steps:
    """How often a function was entered, and each of its lines was run; without a loop, `trace` is None."""

    def __init__(self, code: CodeType) -> None:
        self.code, self.entered = code, 0
        self.lines = lines = defaultdict[int, int](int)

        def run(frame: FrameType, event: str, argument: object) -> Any:
            if event == "line":
                lines[frame.f_lineno] += 1

        self.trace = None if BACKWARD.isdisjoint(code.co_code[::2]) else run


def mend(path: Path) -> None:
    """Check a log, plan its repair, tell of it and save it."""
    with open_source(str(path)) as source:
        report = check(open_log(source))
        evidence = evidence_by_finding(report)
        planned = plan_repair(report, Choices())
        repaired_sessions(report, planned, evidence, {})
        save_copy(planned, str(path.with_name(f"repaired{path.suffix}")))


def grows_linearly(written: Callable[[int, Path], Path], folder: Path, fewest: int = FEWEST) -> bool:
    """Whether the log that is written of so many anomalies, twice and four times as many, takes steps accordingly.

    A smaller one is mended before: what is kept for later, of a format that no test had opened yet, is no growth. Nor
    is what begins at some size, and is not seen where four times as many are mended.
    """
    found = growing_lines(written, folder, fewest)
    if found:
        files = None if ("all", 0) in found else {file for file, _ in found}
        found &= growing_lines(written, folder / "more", 4 * fewest, files)
    for file, line in sorted(found):
        print(f"{os.path.relpath(file, HOME)}:{line} grows faster than the log")
    return not found


def growing_lines(
    written: Callable[[int, Path], Path], folder: Path, fewest: int, files: Container[str] | None = None
) -> set[Line]:
    """The lines that are run more often than the anomalies allow."""

    def mending(size: int) -> Callable[[], None]:
        place = folder / str(size)
        place.mkdir(parents=True)
        return partial(mend, written(size, place))

    mending(5)()
    once, twice, four_times = (steps_by_line(mending(fewest * times), files) for times in (1, 2, 4))
    for steps in (once, twice, four_times):
        steps["all", 0] = sum(count for (file, _), count in steps.items() if file != "parsed")
    added = {line: (twice[line] - once[line], count - twice[line]) for line, count in four_times.items()}
    growing = {line for line, (first, second) in added.items() if second > max(MOST * first, FEW * fewest)}
    return {(file, line) for file, line in growing if (file, abs(line)) not in HALVING}


# A slow line is mostly one of a pass that all formats share, or of one that all histories go through: pytest alone
# tries each second format with one history, another one each time.
CASES = [
    pytest.param(
        name,
        make,
        id=f"{name}-{make.__name__}",
        marks=one_of(2 * len(HISTORIES), row * len(HISTORIES) + (row // 2 + column) % len(HISTORIES)),
    )
    for row, name in enumerate(WRITABLE)
    for column, make in enumerate(HISTORIES)
]
# An agent that joins what the person says in a row, and fragments of a message wherever they stand.
CASES += [
    pytest.param("claude-code", make, id=f"claude-code-{make.__name__}")
    for make in (words_in_a_row, fragments_that_lead_from_step_to_step)
]
CASES += [
    pytest.param(name, calls_under_names_that_are_refused, id=f"{name}-calls_under_names_that_are_refused")
    for name in ("anthropic-messages", "langchain", "openai-chat")
]


@pytest.fixture(autouse=True)
def steps_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thorough, "are_steps_counted", True)


@pytest.mark.parametrize(("name", "make"), CASES)
def test_a_repair_grows_with_what_it_mends(name: str, make: Callable[[int], History], tmp_path: Path) -> None:
    assert grows_linearly(lambda count, folder: WRITABLE[name].write(make(count), folder), tmp_path)


@pytest.mark.thorough
def test_many_conversations_of_a_file(tmp_path: Path) -> None:
    calls = [{"id": "call", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    answer = {"role": "assistant", "content": None, "tool_calls": calls}
    line = orjson.dumps({"messages": [{"role": "user", "content": "go"}, answer, {"role": "user", "content": "on"}]})

    def written(count: int, folder: Path) -> Path:
        path = folder / "log.jsonl"
        path.write_bytes(count * (line + b"\n"))
        return path

    assert grows_linearly(written, tmp_path)


def test_a_loop_within_a_line_is_seen() -> None:
    def steps(count: int) -> int:
        return max(steps_by_line(lambda: looped(count)).values())

    text = "lambda count: all(any(a < 0 for a in range(count)) or True for b in range(count))"
    looped = eval(compile(text, HOME, "eval"))
    assert steps(20) > 3 * steps(10)


@pytest.mark.parametrize("name", ["claude-code", "openai-chat", "gemini-contents"])
def test_what_a_repair_put_in_is_known_without_reading_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mend(WRITABLE[name].write(unanswered_calls(3), tmp_path))
    (repaired,) = tmp_path.glob("repaired*")
    monkeypatch.setattr(ThreadContext, "block_view", lambda *_: pytest.fail("a block was read"))
    with open_source(str(repaired)) as source:
        (session,) = check(open_log(source)).sessions
    assert {(finding.rule, finding.message.partition(", ")[2]) for finding in session.findings} >= {
        ("R13", "not the output of a tool.")
    }


def itself(number: int) -> dict[str, str]:
    return {"parentUuid": f"u{number}"}


def what_is_not_there(number: int) -> dict[str, str]:
    return {"parentUuid": f"gone{number}"}


def the_next_one(number: int) -> dict[str, str]:
    return {"parentUuid": f"u{number + 1}"}


def one_another(number: int) -> dict[str, str]:
    return {"parentUuid": f"u{number ^ 1}"}


def itself_under_one_id(number: int) -> dict[str, str]:
    return {"parentUuid": "u", "uuid": "u"}


@pytest.mark.parametrize("links", [itself, what_is_not_there, the_next_one, one_another, itself_under_one_id])
def test_records_that_hang_off(links: Callable[[int], dict[str, str]], tmp_path: Path) -> None:
    def written(count: int, folder: Path) -> Path:
        path = folder / "log.jsonl"
        path.write_bytes(b"".join(said(each, links(each)) for each in range(count)))
        return path

    assert grows_linearly(written, tmp_path, 4 * FEWEST)


def test_a_long_text_is_looked_through_once_though_short_ones_are_looked_into_between() -> None:
    text = b"[%s]" % b",".join(b'{"name": "call %d"}' % number for number in range(2000))

    def look(first: int) -> None:
        for number in range(first, first + 10):
            assert raw_json_at(raw_json_at(text, f"/{number}"), "/name") == b'"call %d"' % number
            assert raw_json_at(b'{"name": %d}' % number, "/name") == b"%d" % number

    whole = steps_of(lambda: look(0))
    assert 3 * steps_of(lambda: look(100)) < whole


TORN = {
    "in a text": b'{"parentUuid": null, "type": "user", "message": {"role": "user", "content": "cut of',
    "between values": b'{"parentUuid": null, "type": "user", "message": {"role": "user", "content": ["a",',
    "nowhere": b'{"parentUuid": null, "type": "user", "message": {"role": "user", "content": [1 2]}}',
}


def test_a_record_of_blank_texts_is_looked_at_once(tmp_path: Path) -> None:
    def written(count: int, folder: Path) -> Path:
        texts = [{"type": "text", "text": text} for text in (*" " * count, "ok")]
        answer = {"type": "assistant", "message": {"role": "assistant", "content": texts}}
        path = folder / "log.jsonl"
        path.write_bytes(said(0, {}) + said(1, {"parentUuid": "u0", **answer}))
        return path

    assert grows_linearly(written, tmp_path, 4 * FEWEST)


@pytest.mark.parametrize("line", TORN.values(), ids=TORN)
def test_lines_that_are_no_json(line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is looked through once for whether it goes on in the next ones, however many those are."""
    path, looked = tmp_path / "log.jsonl", Counter[bytes]()
    path.write_bytes(said(0, {}) + b"".join(line + b"%d\n" % number for number in range(50)))
    strings = damage._STRING
    monkeypatch.setattr(
        damage, "_STRING", SimpleNamespace(sub=lambda by, text: looked.update([text]) or strings.sub(by, text))
    )
    with open_source(str(path)) as source:
        (session,) = check(open_log(source)).sessions
    assert len([finding for finding in session.findings if finding.rule in ("F1", "F6")]) == 50
    assert sum(looked.values()) <= 4 * 50  # whether within a text or not, for each of two judges


def said(number: int, links: dict[str, Any]) -> bytes:
    record = {
        "isSidechain": False,
        "sessionId": "s",
        "type": "user",
        "message": {"role": "user", "content": "hi"},
        "uuid": f"u{number}",
        "timestamp": "2026-03-14T09:08:17.100Z",
    }
    return orjson.dumps({"parentUuid": None} | record | links) + b"\n"  # in the order in which the agent writes them


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \n"])
def test_blank_lines_are_passed_over_at_once(end: bytes) -> None:
    text = b"first\n" + 1000 * end + b"  second\n" + 1000 * end
    found: list[tuple[int, int, bytes]] = []
    count = steps_of(lambda: found.extend(nonblank_lines(0, text)))
    second = text.index(b"  second")
    assert found == [(0, 5, b"first"), (second, second + 8, b"  second")]
    assert count < 50


def test_small_frames_are_not_given_what_lies_behind_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library makes a copy of what it is given behind the end of a frame."""
    library, given = json_lines.zstd_library(), 0

    class Decompressor:
        def __init__(self) -> None:
            self.own = library.ZstdDecompressor()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.own, name)

        def decompress(self, data: bytes, most: int) -> Any:
            nonlocal given
            given += len(data)
            return self.own.decompress(data, most)

    path = tmp_path / "log.zst"
    path.write_bytes(b"".join(map(packed, [b"x" * 5000, *(b"%d," % number for number in range(500)), b"", b"end"])))
    monkeypatch.setattr(
        json_lines, "zstd_library", lambda: SimpleNamespace(ZstdDecompressor=Decompressor, ZstdError=ValueError)
    )
    assert (
        b"".join(json_lines._pieces(str(path)))
        == b"x" * 5000 + b"".join(b"%d," % number for number in range(500)) + b"end"
    )
    assert given < 10 * path.stat().st_size
