"""Kiro CLI: what becomes of its sessions on resume, by its own source, and what the lines and files of one say."""

import json
import random
from collections.abc import Callable, Iterator
from itertools import chain
from itertools import product as sequences
from pathlib import Path
from typing import Any

import pytest

from inspector.core.discovery.stores import find_logs_in_stores, log_entry_of
from inspector.core.doctor.machine import stores_on
from inspector.core.formats.base.stores import HostEnvironment
from tests.core.formats import kiro_cli, kiro_cli_v3
from tests.core.formats.kiro_cli import SESSION, Json, entry, entry_of, outcome, snapshot
from tests.core.formats.kiro_cli_v3 import line, rows
from tests.support import product
from tests.support.notation import parse, show

UNTIL_NOW = 'u"hi" | a{A} | r(A=x) | a"ok"'


def lines_of(history: str) -> list[Json]:
    return [entry_of(turn, number) for number, turn in enumerate(parse(history))]


def written(folder: Path, *lines: Json | str | bytes) -> Path:
    """A log of these lines; a text is a line as it is."""
    path = folder / f"{SESSION}.jsonl"
    texts = [json.dumps(each) if isinstance(each, dict) else each for each in lines]
    path.write_bytes(b"".join((text.encode() if isinstance(text, str) else text) + b"\n" for text in texts))
    return path


def seen(path: Path) -> tuple[str, str, set[str]]:
    answer = product.check(path)
    return answer.session["verdict"], answer.session["on_resume"]["outcome"], answer.errors


# engines v1 and v2: the history is compared with what the source does

TURNS = (
    "u", "a", "a{A}", "a{B}", "a{A,B}", "r(A=x)", "r(B=y)", "r(A=x,B=y)", "r(A=x,A=z)", 'r(A=x)+"so"', '"so",r(B=y)'
)  # fmt: skip
VERDICTS = {"as-is": {"healthy"}, "mends": {"heals-itself", "broken"}, "refuses": {"broken"}}


def random_histories(count: int) -> Iterator[list[str]]:
    """Histories whose roles alternate, but for a turn in ten: the others stop Kiro at once."""
    chosen = random.Random(count)
    for _ in range(count):
        turns: list[str] = []
        for number in range(chosen.randrange(4, 9)):
            fitting = [turn for turn in TURNS if turn.startswith("a") == bool(number % 2)]
            turns.append(chosen.choice(TURNS if chosen.random() < 0.1 else fitting))
        yield turns


def test_on_resume_it_does_what_its_source_does(tmp_path: Path) -> None:
    """A second result is rejected or sent as text, and where it is, is not known by the rules."""
    found = set()
    for turns in chain(sequences(TURNS), sequences(TURNS, repeat=2), random_histories(500)):
        text = " | ".join(turns)
        verdict, told, errors = seen(kiro_cli.FORMAT.write(parse(text), tmp_path))
        expected = outcome(parse(text))
        has_second = any(error.startswith(("R5", "R6", "R7")) for error in errors)
        assert told == expected or (told == "unknown" and has_second), (text, told, expected, errors)
        assert verdict in VERDICTS[expected], (text, verdict, errors)
        found.add(told)
    assert found == {"as-is", "mends", "refuses", "unknown"}


def test_neighbors_with_one_id_are_two_messages(tmp_path: Path) -> None:
    """`apply` does not compare ids (kirodotdev/Kiro#6110)."""
    lines = lines_of('u | a"I look." | a{A} | r(A=x) | a"ok"')
    lines[2]["data"]["message_id"] = lines[1]["data"]["message_id"]
    path = written(tmp_path, *lines)
    assert seen(path) == ("broken", "refuses", {"M2"})
    assert "invalid conversation history received" in product.check(path).session["on_resume"]["error"]


CANCEL, CLEAR = entry("CancelledPrompt"), entry("Clear")


def reset(index: int) -> Json:
    return entry("ResetTo", {"target_index": index})


EVENTS: dict[str, tuple[list[Any], str]] = {
    "a canceled prompt": (["u | a | u", CANCEL, 'u"so" | a'], 'u | a | u"so" | a'),
    "a canceled result": (["u | a{A} | r(A=x)", CANCEL, 'r(A=y) | a"ok"'], 'u | a{A} | r(A=y) | a"ok"'),
    "nothing to cancel": (["u | a", CANCEL, CANCEL], 'u | a'),
    "a clear": (["u | a{A}", CLEAR, UNTIL_NOW], UNTIL_NOW),
    "a reset": (['u"one" | a | u"two" | a{A}', reset(2), 'u"three" | a'], 'u"one" | a | u"three" | a'),
    "a reset to the beginning": (["u | a{A}", reset(0), UNTIL_NOW], UNTIL_NOW),
    "a reset before a clear": (["u | a", CLEAR, 'u"two" | a', reset(2)], 'u | a'),
    "a compaction": (["u | a{A}", snapshot(parse('u"so far" | a"ok"')), 'u"next" | a'],
        'u"so far" | a"ok" | u"next" | a'),
    "two compactions": ([snapshot(parse("u | a{A}")), snapshot(parse('u"two" | a')), "u | a"],
        'u"two" | a | u | a'),
    "a reset behind a compaction": ([snapshot(parse("u | a")), "u | a{A}", reset(1)], 'u | a'),
    "an unknown entry": (["u | a", entry("Title", {"text": "t"})], 'u | a'),
}  # fmt: skip


@pytest.mark.parametrize("name", EVENTS)
def test_entries_that_change_the_history(name: str, tmp_path: Path) -> None:
    parts, expected = EVENTS[name]
    path = written(
        tmp_path, *(each for part in parts for each in (lines_of(part) if isinstance(part, str) else [part]))
    )
    if name != "an unknown entry":
        assert show(kiro_cli.load(path)) == expected
    answer = product.check(path)
    assert (answer.session["verdict"], answer.session["messages"]) == ("healthy", len(parse(expected)))


def test_results_at_the_beginning_of_a_compaction_are_sent_as_text(tmp_path: Path) -> None:
    compaction = snapshot(parse('r(A=x) | a{B} | r(B=y) | a"ok"'))
    assert seen(written(tmp_path, *lines_of("u | a{A}"), compaction)) == ("healthy", "as-is", set())


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda data: {**data, "message_id": None}, {"D2", "F6"}),
        (lambda data: {key: value for key, value in data.items() if key != "results"}, {"D2", "F6"}),
        (
            lambda data: {**data, "content": [{"kind": "toolResult", "data": {"toolUseId": "A", "content": []}}]},
            {"D2", "F6"},
        ),
        (lambda data: {**data, "content": [{"kind": "text", "data": None}]}, {"D2", "F6"}),
        (lambda data: {**data, "content": "x"}, {"D2", "F6"}),
        (lambda data: {**data, "content": [{"kind": "text", "data": "\ud800"}]}, {"F7"}),
    ],
)
def test_a_line_that_does_not_fit_is_skipped(
    damage: Callable[[Json], Json], expected: set[str], tmp_path: Path
) -> None:
    """The result is lost with it, and its neighbors meet."""
    lines = lines_of(UNTIL_NOW)
    lines[2]["data"] = damage(lines[2]["data"])
    verdict, _, errors = seen(written(tmp_path, *lines))
    assert (verdict, {error.partition(":")[0] for error in errors}) == ("broken", {"M2", *expected})


def test_bytes_that_are_not_utf8_keep_the_session_from_being_loaded(tmp_path: Path) -> None:
    path = written(tmp_path, *lines_of(UNTIL_NOW), b'{"version":"v1","kind":"Clear\xff"}')
    answer = product.check(path)
    assert (answer.session["verdict"], answer.session["on_resume"]["outcome"]) == ("broken", "refuses")
    assert "stream did not contain valid UTF-8" in answer.session["on_resume"]["error"]


def test_it_is_only_checked(tmp_path: Path) -> None:
    path = written(tmp_path, *lines_of("u | a{A} | u"))
    before = path.read_bytes()
    answer = product.repair(path, tmp_path / "out.jsonl")
    assert answer.code
    assert "only checked" in answer.report["reason"]
    assert path.read_bytes() == before
    assert not (tmp_path / "out.jsonl").exists()


def test_it_is_converted(tmp_path: Path) -> None:
    path = written(tmp_path, *lines_of(UNTIL_NOW))
    answer = product.convert(path, "anthropic", tmp_path / "out.json")
    assert answer.code == 0, answer.report
    told = json.loads((tmp_path / "out.json").read_bytes())
    messages = told["messages"] if isinstance(told, dict) else told
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("value", [[], {}, None, 1])
def test_a_kind_of_another_type_is_no_kind(value: Any, tmp_path: Path) -> None:
    odd, odd_payload = {**lines_of("u")[0], "kind": value}, event("user", content="u")
    odd_payload["payload"]["type"] = value
    assert seen(written(tmp_path, *lines_of(UNTIL_NOW), odd))[:2] == ("broken", "mends")
    assert seen(v3(tmp_path, UNTIL_NOW, odd_payload))[:2] == ("broken", "mends")


# what is in the files


def traces(path: Path) -> list[tuple[str, str]]:
    (found,) = [each["evidence"] for each in product.check(path).findings if "evidence" in each]
    return [(trace["weight"], trace["sentence"]) for trace in found["traces"]]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ({"Success": {"items": []}}, ("ran", "Kiro CLI recorded what the tool returned.")),
        ("Cancelled", ("mentioned", "Kiro CLI recorded that the call was canceled.")),
    ],
)
def test_the_map_of_results_shows_what_ran(outcome: Any, expected: tuple[str, str], tmp_path: Path) -> None:
    """It is written with the results of the message, and can hold more of them than the message."""
    lines = lines_of('u | a{A,B} | r(A=x) | a"ok"')
    lines[2]["data"]["results"]["B"] = {"tool": None, "result": outcome}
    assert traces(written(tmp_path, *lines)) == [expected]


def in_store(home: Path, **changes: Any) -> Path:
    folder = home / ".kiro" / "sessions" / "cli"
    folder.mkdir(parents=True)
    path = written(folder, *lines_of(UNTIL_NOW))
    known = {"session_id": SESSION, "cwd": "/work/api", "created_at": "t", "updated_at": "t", "title": "Tides"}
    state = {"session_state": {"version": "v1", "conversation_metadata": "x" * 100_000}}
    path.with_suffix(".json").write_text(json.dumps({**known, **changes, **state}))
    return path


def test_a_session_in_the_store_is_listed_with_its_metadata(tmp_path: Path) -> None:
    """The file with the metadata can be long: only its beginning is read."""
    path = in_store(tmp_path)
    (found,) = find_logs_in_stores(HostEnvironment({}, str(tmp_path)))
    entry = log_entry_of(found)
    assert entry is not None
    assert (found.path, entry.format, entry.title, entry.project) == (str(path), "kiro-cli", "Tides", "/work/api")


def store_faults(home: Path) -> list[tuple[str, str]]:
    (place,) = [place for place in stores_on(HostEnvironment({}, str(home))) if place.store.sessions(place.home)]
    (session,) = place.store.sessions(place.home)
    found = list(place.store.faults(place.home, session))
    assert all(fault.measured and fault.expected and fault.remedy for fault in found)
    return [(fault.cause, fault.effect.word) for fault in found]


@pytest.mark.parametrize(
    ("breaks", "found"),
    [
        (lambda path: None, []),
        (lambda path: path.unlink(), [("entry-without-file", "left-out")]),
        (lambda path: path.with_suffix(".json").unlink(), [("damaged-metadata", "not-opened")]),
        (lambda path: path.with_suffix(".json").write_text("{"), [("damaged-metadata", "not-opened")]),
        (lambda path: path.with_suffix(".json").write_text('{"cwd":"/x"}'), [("damaged-metadata", "not-opened")]),
    ],
)
def test_the_store_says_what_keeps_kiro_from_a_session(
    breaks: Callable[[Path], Any], found: list[tuple[str, str]], tmp_path: Path
) -> None:
    breaks(in_store(tmp_path))
    assert store_faults(tmp_path) == found


def test_metadata_with_another_id_lead_to_another_log(tmp_path: Path) -> None:
    in_store(tmp_path, session_id="other")
    assert store_faults(tmp_path) == [("other-id", "left-out")]


# engine v3


def v3(folder: Path, *parts: Json | str) -> Path:
    """A session of the lines of histories, and of lines."""
    lines: list[Json | str] = []
    for part in parts:
        for each in rows(parse(part)) if isinstance(part, str) and not part.startswith("{") else [part]:
            lines.append({**each, "id": f"i{len(lines)}"} if isinstance(each, dict) and each["id"] != "x" else each)
    return kiro_cli_v3.put(folder, lines)


def event(type_: str, **more: Any) -> Json:
    return line(0, type_, **more)


def asked(call: str) -> Json:
    return event("pending_interaction", interactionType="tool_approval", toolCallId=call, question="Run ls?")


def resolved(call: str, option: str = "accept") -> Json:
    return event("interaction_resolved", toolCallId=call, outcome="selected", selectedOption=option)


def tombstone(first: str, kind: str = "checkpoint_revert") -> Json:
    return event("tombstone", kind=kind, effectiveFromMessageId=first)


END = event("turn_end", stopReason="end_turn", executionId="e")
SUMMARY = event("assistant", content="So far.", operationType="Summary")
INSTRUCTIONS = event("session_start", agentType="vibe", content="You are Kiro.", forcedRole=True)


@pytest.mark.parametrize(
    ("parts", "verdict", "outcome", "errors", "messages"),
    [
        ([UNTIL_NOW, END, INSTRUCTIONS], "healthy", "as-is", set(), 4),
        (["u", asked("A"), resolved("A"), 'a{A} | r(A=x) | a"ok"', END], "healthy", "as-is", set(), 4),
        (["u", asked("A")], "waiting", "as-is", set(), 2),
        ([UNTIL_NOW, "u", asked("B"), event("turn_start", executionId="e")], "waiting", "as-is", set(), 6),
        (["u", asked("A"), END, 'u | a"ok"', END], "healthy", "as-is", set(), 3),
        (["u", asked("A"), resolved("A", "reject"), 'a"no"', END], "healthy", "as-is", set(), 2),
        (["u | a{A}", END, 'u | a"ok"', END], "broken", "unknown", {"D2:A"}, 4),
        (["u | a{A}"], "broken", "unknown", {"D1:A"}, 2),
        (['u | a | r(A=x) | a"ok"', END], "broken", "unknown", {"R1:A"}, 4),
        (['u | a{A} | r(A=x),r(A=y) | a"ok"', END], "broken", "unknown", {"R7:A"}, 5),
        (["u | a", END, "u | a{A}", tombstone("i3"), 'u | a"ok"'], "healthy", "as-is", set(), 4),
        (["u | a{A}", tombstone("i0", "summarization"), SUMMARY, 'u | a"ok"'], "healthy", "as-is", set(), 3),
        (["u | a{A}", tombstone("nowhere"), 'u | a"ok"'], "broken", "unknown", {"D2:A"}, 4),
        (["u", '{"id":"x","timestamp":"t","payload":{"type":"tool_call"}}', 'a"ok"'], "broken", "mends", {"F6"}, 2),
        (["u", event("novelty", text="t"), 'a"ok"'], "healthy", "as-is", set(), 2),
    ],
)
def test_sessions_of_v3(
    parts: list[Any], verdict: str, outcome: str, errors: set[str], messages: int, tmp_path: Path
) -> None:
    path = v3(tmp_path, *parts)
    answer = product.check(path)
    assert (seen(path), answer.session["messages"]) == ((verdict, outcome, errors), messages)


def test_tombstones_of_tombstones_are_read_in_order(tmp_path: Path) -> None:
    """Each looks for its line among those that are left."""
    path = v3(tmp_path, 'u"1" | a"2"', tombstone("i1"), 'a"3" | u"4"', tombstone("i1"), 'a"5"', tombstone("i3"), 'a"6"')
    assert show(kiro_cli_v3.load(path)) == 'u"1" | a"6"'
    assert product.check(path).session["messages"] == 2


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (resolved("A"), ("mentioned", "The user was asked to allow the call, and answered: accept.")),
        (event("tool_revert", toolCallId="A"), ("ran", "Kiro CLI reverted what the call did.")),
    ],
)
def test_lines_of_v3_that_name_a_call_are_evidence(event: Json, expected: tuple[str, str], tmp_path: Path) -> None:
    assert traces(v3(tmp_path, "u | a{A}", event, END, 'u | a"ok"')) == [expected]


def test_a_session_of_v3_in_the_store(tmp_path: Path) -> None:
    path = v3(tmp_path / ".kiro" / "sessions" / "0123456789abcdef", UNTIL_NOW)
    (found,) = find_logs_in_stores(HostEnvironment({}, str(tmp_path)))
    entry = log_entry_of(found)
    assert entry is not None
    assert (found.path, entry.format, entry.title, entry.project) == (
        str(path),
        "kiro-cli-v3",
        "A session",
        "/work/api",
    )
    assert store_faults(tmp_path) == []
    path.with_name("session.json").write_text("[")
    assert store_faults(tmp_path) == [("damaged-metadata", "not-opened")]
