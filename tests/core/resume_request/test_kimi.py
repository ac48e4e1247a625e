"""What kimi-cli and Kimi Code do on resume: the facts that their code and recorded requests agree in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import kimi_cli_context
from tests.core.formats.kimi_code import records_of
from tests.support import product
from tests.support.notation import lines, parse

Records = list[dict[str, Any]]
Change = Callable[[Records], object]


def unchanged(records: Records) -> None:
    """As it is."""


def context(folder: Path, history: str, change: Change = unchanged) -> Path:
    path = kimi_cli_context.write(parse(history), folder)
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(records)
    path.write_bytes(lines(records))
    return path


def events(folder: Path, history: str, change: Change = unchanged, version: str = "1.5") -> Path:
    records = records_of(parse(history), version)
    change(records)
    path = folder / "wire.jsonl"
    path.write_bytes(lines(records))
    return path


def outcome(path: Path) -> tuple[str, str]:
    session = product.check(path).session
    return session["verdict"], session["on_resume"]["outcome"]


def results(path: Path) -> str:
    """The results that are sent, those of the program's own with a star."""
    told = [block for block in product.sent(path).blocks if block["kind"] == "result"]
    return " ".join(block["id"] + "*" * (block["mark"] == "answered by the agent") for block in told)


# kimi-cli


@pytest.mark.parametrize("history", ["u | a{A}", 'u | a{A} | u"n" | r(A=a) | a"ok"', 'u | r(A=a) | a"ok"'])
def test_kimi_cli_pairs_nothing(history: str, tmp_path: Path) -> None:
    assert outcome(context(tmp_path, history)) == ("broken", "refuses")


def first(records: Records, role: str) -> dict[str, Any]:
    return next(record for record in records if record["role"] == role)


@pytest.mark.parametrize(
    "change",
    [
        lambda records: first(records, "assistant")["tool_calls"][0]["function"].update(arguments={"a": 1}),
        lambda records: first(records, "assistant")["tool_calls"][0].pop("id"),
        lambda records: first(records, "assistant")["tool_calls"][0]["function"].pop("name"),
    ],
    ids=["arguments", "id", "name"],
)
def test_kimi_cli_skips_a_message_with_a_call_of_another_shape(change: Change, tmp_path: Path) -> None:
    sent = product.sent(context(tmp_path, 'u | a"look"{A} | r(A=alpha) | a"ok"', change)).report
    assert [message["role"] for message in sent["messages"]] == ["user", "tool", "assistant"]
    assert sent["outcome"] == "refuses"


def test_kimi_cli_ends_at_a_message_without_content(tmp_path: Path) -> None:
    path = context(tmp_path, "u | a{A} | r(A=alpha) | a{B}", lambda records: first(records, "assistant").pop("content"))
    assert "'content'" in product.check(path).session["on_resume"]["error"]


def test_kimi_cli_joins_what_the_person_says_but_not_its_notifications(tmp_path: Path) -> None:
    path = context(tmp_path, 'u"one" | u"two" | u"<notification id=1>" | u"three" | a"ok"')
    said = [message["content"] for message in product.sent(path).report["messages"]]
    assert said == ["one\ntwo", "<notification id=1>", "three", "ok"]


def test_kimi_cli_puts_its_prompt_into_a_log_without_one(tmp_path: Path) -> None:
    path = context(tmp_path, "u | a{A}", lambda records: records.pop(0))
    assert product.check(path).session["on_resume"]["writes"].startswith("writes its system prompt before")


# Kimi Code


@pytest.mark.parametrize(
    ("history", "verdict", "told"),
    [
        ("u | a{A,B} | r(A=a)", "heals-itself", "A B*"),
        ('u | a{A,B} | r(B=b) | a"ok"', "heals-itself", "A* B"),
        ('u | a{A} | a{B} | r(A=a),r(B=b) | a"ok"', "broken", "A* B"),
        ('u | a{A} | r(A=a) | r(A=other) | a"ok"', "broken", "A"),
        ('u | r(A=a) | a"ok"', "broken", ""),
    ],
)
def test_kimi_code_closes_each_step(history: str, verdict: str, told: str, tmp_path: Path) -> None:
    path = events(tmp_path, history)
    assert (outcome(path), results(path)) == ((verdict, "mends"), told)


@pytest.mark.parametrize(("version", "writes"), [("1.4", "adds its own results"), ("1.5", "")])
def test_engine_v1_writes_down_what_it_answers_at_the_end(version: str, writes: str, tmp_path: Path) -> None:
    told = product.check(events(tmp_path, "u | a{A}", version=version)).session["on_resume"]["writes"]
    assert told.startswith(writes)
    assert bool(told) == bool(writes)


def test_a_damaged_line_ends_the_log_and_the_file(tmp_path: Path) -> None:
    path = events(tmp_path, 'u | a{A} | r(A=alpha) | a{B} | r(B=beta) | a"ok"')
    rows = path.read_bytes().splitlines(keepends=True)
    at = next(number for number, row in enumerate(rows) if b'"B"' in row)
    path.write_bytes(b"".join([*rows[:at], rows[at][:40] + b"\n", *rows[at + 1 :]]))
    assert (outcome(path), results(path)) == (("broken", "mends"), "A")
    resume = product.check(path).session["on_resume"]
    assert resume["loses"][0] == "the damaged line and everything after it"
    assert resume["writes"].startswith("truncates the file before the damaged line")


def test_a_result_is_worded_for_the_model(tmp_path: Path) -> None:
    def timed(records: Records) -> None:
        result = next(each["event"] for each in records if (each.get("event") or {}).get("type") == "tool.result")
        result["result"] |= {"durationMs": 1500, "isError": True, "note": "See the log."}

    sent = product.sent(events(tmp_path, 'u | a{A@Bash} | r(A=alpha) | a"ok"', timed)).report["messages"]
    failed = "<system>ERROR: Tool execution failed.</system>"
    assert sent[2]["content"] == f"Wall time: 1.500 seconds\n{failed}\nalpha\nSee the log."


def through(provider: str) -> Change:
    return lambda records: records.append({"type": "llm.request", "kind": "loop", "provider": provider, "model": "m"})


@pytest.mark.parametrize(
    ("provider", "profile", "verdict", "loses"),
    [
        ("openai", "openai-chat", "healthy", 0),
        # Anthropic refuses an id that comes twice: then each call is sent once, and the later one is lost.
        ("anthropic", "anthropic", "broken", 2),
    ],
)
def test_after_a_refusal_it_sends_each_call_once(
    provider: str, profile: str, verdict: str, loses: int, tmp_path: Path
) -> None:
    history = 'u | a{A} | r(A=alpha) | a"ok" | u"n" | a"more"{A} | r(A=beta) | a"done"'
    session = product.check(events(tmp_path, history, through(provider))).session
    assert (session["profile"], session["profile_assumed"]) == (profile, False)
    assert (session["verdict"], session["on_resume"]["outcome"] != "refuses") == (verdict, True)
    assert len(session["on_resume"]["loses"]) == loses


def test_ids_go_out_as_every_provider_takes_them(tmp_path: Path) -> None:
    """kimi's own ids have a colon, which Anthropic refuses."""
    history = 'u | a{A,B,C} | r(A=a),r(B=b),r(C=c) | a"ok"'

    def renamed(records: Records) -> None:
        text = json.dumps(records)
        for old, new in (("A", "Bash:0"), ("B", "Bash_0"), ("C", "Bash.0")):
            text = text.replace(f'"toolCallId": "{old}"', f'"toolCallId": "{new}"')
        records[:] = json.loads(text)
        through("anthropic")(records)

    path = events(tmp_path, history, renamed)
    assert (outcome(path), results(path)) == (("healthy", "as-is"), "Bash_0_2 Bash_0 Bash_0_3")


# What Kimi Code 2.1.0 does with lines of another shape, as it was run on each of them.

SAID = [{"type": "text", "text": "Go north."}]


def spoken(**message: Any) -> dict[str, Any]:
    return {"type": "context.append_message", "message": message}


def looped(event: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": event}


@pytest.mark.parametrize(
    ("line", "verdict", "left"),
    [
        pytest.param({"type": "context.append_message", "message": 107}, "broken", None, id="a number"),
        pytest.param({"type": "context.append_message"}, "broken", None, id="no message"),
        pytest.param(spoken(), "broken", None, id="an empty message"),
        pytest.param(
            spoken(role="user", toolCalls=[]), "broken", spoken(role="user", toolCalls=[], content=[]), id="no content"
        ),
        pytest.param(
            spoken(role="user", content=SAID),
            "broken",
            spoken(role="user", content=SAID, toolCalls=[]),
            id="no list of calls",
        ),
        pytest.param(
            spoken(role="user", content=SAID, toolCalls={"a": 1}),
            "broken",
            spoken(role="user", content=SAID, toolCalls=[]),
            id="an object of calls",
        ),
        pytest.param({"type": "context.append_loop_event"}, "broken", None, id="no event"),
        pytest.param(looped(None), "broken", None, id="null for an event"),
        pytest.param(looped(107), "healthy", None, id="another value for an event is passed by"),
    ],
)
def test_a_line_of_another_shape_stops_kimi_code(
    line: dict[str, Any], verdict: str, left: dict[str, Any] | None, tmp_path: Path
) -> None:
    def change(records: Records) -> None:
        records.insert(2, line)

    path = events(tmp_path, 'u | a"ok"', change)
    assert outcome(path) == (verdict, "refuses" if verdict == "broken" else "as-is")
    before = path.read_bytes().splitlines()
    if verdict == "broken":
        product.repair(path, out := tmp_path / "out")
        mended = [json.loads(each) for each in out.read_bytes().splitlines()]
        kept = [json.loads(each) for each in (*before[:2], *before[3:])]
        assert mended == kept[:2] + ([left] if left else []) + kept[2:]
        assert outcome(out)[0] == "healthy"


@pytest.mark.parametrize("text", [{}, {"text": None}])
def test_a_text_that_is_none_is_no_blank_one(text: dict[str, Any], tmp_path: Path) -> None:
    def change(records: Records) -> None:
        part = next(each["event"]["part"] for each in records if (each.get("event") or {}).get("part"))
        del part["text"]
        part |= text

    assert outcome(events(tmp_path, 'u | a"ok"', change)) == ("broken", "refuses")


@pytest.mark.parametrize(
    ("compaction", "sent"),
    [
        ({"summary": "It was so.", "compactedCount": 2}, "user"),
        ({"summary": "It was so.", "compactedCount": 1.5}, "user assistant"),
        ({"contextSummary": "It was so.", "compactedCount": 2}, "user"),
        ({"summary": None, "compactedCount": 2}, "user assistant"),
        ({"compactedCount": 2}, "user assistant"),
        ({"summary": "It was so.", "compactedCount": "2"}, "user assistant"),
        ({"summary": "It was so.", "compactedCount": 2, "tokensBefore": "many"}, "user assistant"),
    ],
)
def test_engine_v2_passes_by_a_compaction_of_another_shape(
    compaction: dict[str, Any], sent: str, tmp_path: Path
) -> None:
    path = events(tmp_path, 'u | a"ok"', lambda each: each.append({"type": "context.apply_compaction"} | compaction))
    messages = product.sent(path).report["messages"]
    assert " ".join(message["role"] for message in messages) == sent
    assert outcome(path)[0] == "healthy"


def test_what_the_person_says_in_a_row_goes_out_in_paragraphs(tmp_path: Path) -> None:
    sent = product.sent(events(tmp_path, 'u"one" | u"two" | a"ok"')).report["messages"]
    assert sent[0] == {"role": "user", "content": "one\n\ntwo"}


def test_a_number_that_is_no_json_ends_the_log(tmp_path: Path) -> None:
    """Python reads it, JavaScript does not."""
    path = events(tmp_path, 'u"one" | a"ok"')
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*rows[:2], rows[2].replace(b"}\n", b',"time":-Infinity}\n'), *rows[3:]]))
    sent = product.sent(path).report
    assert [message["role"] for message in sent["messages"]] == ["user"]
    assert "the damaged line and everything after it" in sent["loses"]
