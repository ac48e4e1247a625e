"""Trimming, in every format that is written: what the agent's own reader finds in what is left."""

import json
from pathlib import Path

import pytest

from tests.core.formats import FORMATS
from tests.core.repair.logs import saved, written
from tests.support import product
from tests.support.judges import log_error
from tests.support.notation import claude_code_records, lines, parse, show
from tests.support.projection import printed

HISTORY = parse(
    'u"one" | a"t"{A} | r(A=alpha) | a"ok" | u"two" | a{B} | r(B=beta) | a{C} | r(C=gamma) | a"fin" | u"three" | a"x"'
)
LAST_TURN = 'u"three" | a"x"'
LAST_TWO = 'u"two" | a{B} | r(B=beta) | a{C} | r(C=gamma) | a"fin" | u"three" | a"x"'
NAMES = [name for name, each in FORMATS.items() if each.holds_calls and each.written_back]
T57 = 'u"task" | a{A} | u"note" | r(A=x) | a"ok" | u"next" | a{B} | r(B=y)'


def trimmed(name: str, folder: Path, *options: str) -> tuple[str, product.Answer]:
    """A trimmed log as the agent's own reader loads it, and the product's answer; what is written is healthy."""
    path, out = FORMATS[name].write(HISTORY, folder), folder / "trimmed"
    out.mkdir()
    out = out / path.name
    answer = product.trim(path, out, *options)
    assert answer.code == 0, answer.report["reason"]
    assert {session["verdict"] for session in product.check(out).report["sessions"]} == {"healthy"}
    history = FORMATS[name].load(out)
    assert FORMATS[name].judge(history) is None
    return show(history), answer


@pytest.mark.parametrize("name", NAMES)
def test_the_last_turns_stay(name: str, tmp_path: Path) -> None:
    assert trimmed(name, tmp_path, "--keep", "8")[0] == LAST_TWO


@pytest.mark.parametrize("name", NAMES)
def test_the_last_messages_stay(name: str, tmp_path: Path) -> None:
    assert trimmed(name, tmp_path, "--keep", "2")[0] == LAST_TURN


@pytest.mark.parametrize("name", NAMES)
def test_the_first_message_stays_when_asked(name: str, tmp_path: Path) -> None:
    after, provider = trimmed(name, tmp_path, "--keep", "2", "--keep-first")[0], FORMATS[name].provider
    # Bedrock takes no second message of the user, others read it as one with the first.
    assert after.replace("+", " | u") == (
        'u"one" | a"x"' if provider == "bedrock-converse" else f'u"one" | {LAST_TURN}'
    )


@pytest.mark.parametrize("sample", ["otel-broken.json", "otel-healthy.json"])
def test_a_log_that_is_not_written_is_refused_with_what_to_do_instead(
    sample: str, samples: Path, tmp_path: Path
) -> None:
    answer = product.trim(samples / sample, tmp_path / "out", "--keep", "1")
    assert answer.code == 1
    assert "convert the messages of this trace" in answer.report["reason"]


@pytest.mark.parametrize("name", NAMES)
def test_what_went_is_listed_with_its_text(name: str, tmp_path: Path) -> None:
    answer = trimmed(name, tmp_path, "--keep", "8")[1]
    lost = {loss["text"] for loss in answer.losses if loss["kind"] in ("text", "result")}
    assert {"one", "t", "alpha", "ok"} <= lost
    assert not lost & {"two", "beta", "gamma", "fin", "three", "x"}
    removed = answer.report["trimmed"]["removed"]
    assert (removed["call"]["count"], removed["result"]) == (1, {"count": 1, "bytes": 5})


@pytest.mark.parametrize("name", NAMES)
def test_large_results_become_notes_in_their_place(name: str, tmp_path: Path) -> None:
    history = parse(f'u"one" | a{{A,B}} | r(A={"long" * 100},B=short) | a"ok"')
    path, out = FORMATS[name].write(history, tmp_path), tmp_path / "trimmed"
    answer = product.trim(path, out, "--shrink-results", "200B")
    assert answer.code == 0, answer.report["reason"]
    after = show(FORMATS[name].load(out))
    note = "[Old tool result content cleared: 400 bytes were removed to shorten the history.]"
    assert after.replace("),r(", ",") == f'u"one" | a{{A,B}} | r(A="{note}",B=short) | a"ok"'
    assert [loss["text"] for loss in answer.losses] == ["long" * 100]
    assert product.trim(out, tmp_path / "again", "--shrink-results", "200B").report["reason"] is None


def test_the_largest_results_are_replaced_first(tmp_path: Path) -> None:
    history = f"u | a{{A,B,C}} | r(A={'a' * 300},B={'b' * 500},C={'c' * 400}) | a"
    path = written(tmp_path, "openai", history)
    answer = product.trim(path, tmp_path / "out.json", "--shrink-results", "2")
    assert [loss["text"][:1] for loss in answer.losses] == ["b", "c"]


def test_of_equally_large_results_the_first_are_replaced(tmp_path: Path) -> None:
    history = f"u | a{{A,B,C}} | r(A={'a' * 300},B={'b' * 300},C={'c' * 300}) | a"
    path = written(tmp_path, "anthropic", history)
    answer = product.trim(path, tmp_path / "out.json", "--shrink-results", "2")
    assert [loss["text"][:1] for loss in answer.losses] == ["a", "b"]


def test_a_result_that_is_shorter_than_the_note_stays(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", 'u | a{A} | r(A=alpha) | a"ok"')
    assert product.trim(path, tmp_path / "out.json", "--shrink-results", "1").losses == []
    assert (tmp_path / "out.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code"])
@pytest.mark.parametrize("fraction", [f".{tenth}" for tenth in range(1, 10)])
def test_t57_a_cut_at_any_place_splits_no_pair_and_removes_something(name: str, fraction: str, tmp_path: Path) -> None:
    """Kilo's cut goes back to the call of the result at hand, and removes nothing, again and again."""
    path, out = written(tmp_path, name, T57), tmp_path / "out"
    answer = product.trim(path, out, "--fraction", fraction, "--repair")
    assert answer.code == 0, answer.report["reason"]
    after = printed(out.read_bytes(), name)
    assert after.count("a{A}") == after.count("r(A=x)")
    assert after.endswith("a{B} | r(B=y)")
    counts = answer.session["trimmed"]["messages"]
    assert counts["after"] < counts["before"]
    assert product.check(out).session["verdict"] == "healthy"


def test_a_broken_log_is_repaired_first(tmp_path: Path) -> None:
    path, out = written(tmp_path, "anthropic", T57), tmp_path / "out.json"
    answer = product.trim(path, out, "--keep", "2")
    assert (answer.code, out.exists()) == (1, False)
    assert "Repair it first" in answer.report["reason"]


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code"])
def test_what_the_repair_had_moved_is_listed_when_it_goes(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u"one" | a{A} | u"hi" | r(A=alpha) | a{B} | u"two" | a"ok"')
    answer = product.trim(path, tmp_path / "out", "--keep", "2", "--repair")
    assert printed((tmp_path / "out").read_bytes(), name).endswith('u"two" | a"ok"')
    lost = [loss["text"] for loss in answer.losses if loss["kind"] != "call"]
    assert sorted(lost) == ["alpha", "hi", "one"]


def test_a_note_takes_the_place_of_the_user_where_the_provider_wants_one(tmp_path: Path) -> None:
    history = "u | " + " | ".join(f"a{{c{n}}} | r(c{n}=x)" for n in range(5)) + ' | a"ok"'
    path, out = written(tmp_path, "anthropic", history), tmp_path / "out.json"
    answer = product.trim(path, out, "--keep", "3")
    after = printed(out.read_bytes(), "anthropic")
    assert after.endswith('part of it.]" | a{c4} | r(c4=x) | a"ok"')
    assert after.startswith('u"[The beginning of this conversation was removed')
    assert any("note was added" in each for each in answer.report["trimmed"]["consequences"])
    first = product.trim(path, tmp_path / "first.json", "--keep", "3", "--keep-first")
    assert printed((tmp_path / "first.json").read_bytes(), "anthropic") == 'u | a{c4} | r(c4=x) | a"ok"'
    assert not any("note was added" in each for each in first.report["trimmed"]["consequences"])


def test_a_user_s_message_is_preferred_while_half_of_what_was_wanted_stays(tmp_path: Path) -> None:
    history = 'u"one" | a{A} | r(A=x) | a{B} | r(B=y) | a"ok" | u"two" | a{C} | r(C=z) | a"fin"'
    path = written(tmp_path, "openai", history)
    for keep, first in ((6, 'u"two"'), (9, "a{A}")):
        product.trim(path, tmp_path / "out.json", "--keep", str(keep))
        assert printed((tmp_path / "out.json").read_bytes(), "openai").startswith(first)


def test_instructions_of_the_system_always_stay(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", 'dev"rules" | u"one" | a"ok" | u"two" | a"fin"')
    product.trim(path, tmp_path / "out.json", "--keep", "2")
    assert printed((tmp_path / "out.json").read_bytes(), "openai") == 'dev"rules" | u"two" | a"fin"'


def test_one_exchange_alone_cannot_be_cut(tmp_path: Path) -> None:
    path, out = written(tmp_path, "anthropic", "u | a{A,B} | r(A=x,B=y)"), tmp_path / "out.json"
    answer = product.trim(path, out, "--keep", "1", "--keep-first")
    assert (answer.code, out.exists()) == (1, False)
    assert "cannot be trimmed" in answer.report["reason"]


def test_nothing_to_remove_copies_the_log_byte_for_byte(tmp_path: Path) -> None:
    path, out = written(tmp_path, "anthropic", "u | a{A} | r(A=x) | a"), tmp_path / "out.json"
    assert product.trim(path, out, "--keep", "99").code == 0
    assert out.read_bytes() == path.read_bytes()


def test_the_original_is_never_the_output(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", "u | a | u | a")
    before = path.read_bytes()
    assert product.trim(path, path, "--keep", "1").code == 2
    assert path.read_bytes() == before


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'u"one" | a"x" | u"two" | a"y"')
    answer = product.trim(path, None, "--keep", "2", "--dry-run")
    assert (answer.code, answer.report["output"], len(list(tmp_path.iterdir()))) == (0, None, 1)
    assert answer.session["trimmed"]["messages"] == {"before": 4, "after": 2, "wanted": 2, "in_front": 0}


# Claude Code: what hangs off what, and what lies beside the path


def claude_log(folder: Path, *extra: dict[str, object], history: str = 'u"one" | a"x" | u"two" | a"y"') -> Path:
    records = claude_code_records(parse(history))
    return saved(folder, "claude-code", lines([*extra, *records]))


def test_the_rest_hangs_off_nothing_and_the_leaf_stays_the_leaf(tmp_path: Path) -> None:
    path, out = claude_log(tmp_path), tmp_path / "out.jsonl"
    product.trim(path, out, "--keep", "2")
    records = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert [record["parentUuid"] for record in records] == [None, records[0]["uuid"]]
    assert out.read_bytes().splitlines()[-1] == path.read_bytes().splitlines()[-1]
    assert log_error(out.read_bytes(), "claude-code") is None


def test_what_stays_hangs_off_the_first_message(tmp_path: Path) -> None:
    path, out = claude_log(tmp_path), tmp_path / "out.jsonl"
    product.trim(path, out, "--keep", "2", "--keep-first")
    records = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert [record["parentUuid"] for record in records] == [None, records[0]["uuid"], records[1]["uuid"]]


def test_snapshots_of_removed_messages_go_and_those_of_others_stay(tmp_path: Path) -> None:
    uuids = [record["uuid"] for record in claude_code_records(parse('u"one" | a"x" | u"two" | a"y"'))]
    snapshots = [{"type": "file-history-snapshot", "messageId": uuid, "snapshot": {}} for uuid in uuids[::2]]
    path, out = claude_log(tmp_path, *snapshots), tmp_path / "out.jsonl"
    product.trim(path, out, "--keep", "2")
    left = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert [record.get("messageId") for record in left if record["type"] == "file-history-snapshot"] == [uuids[2]]


def test_the_thread_of_a_removed_subagent_goes_and_a_kept_one_stays(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"one" | a"x" | u"two" | a"y"'))
    side = {"parentUuid": None, "isSidechain": True, "type": "user", "message": {"role": "user", "content": "side"}}
    rest = {"timestamp": "2026-01-01T00:00:00.000Z", "sessionId": records[0]["sessionId"]}
    early, late = ({**side, "uuid": f"00000000-0000-4000-8000-00000000009{n}", **rest} for n in (1, 2))
    path = saved(tmp_path, "claude-code", lines([records[0], early, *records[1:3], late, records[3]]))
    product.trim(path, tmp_path / "out.jsonl", "--keep", "2")
    left = [json.loads(line)["uuid"] for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert left == [records[2]["uuid"], late["uuid"], records[3]["uuid"]]


def test_reasoning_that_stays_is_told_to_have_been_made_for_a_longer_history(tmp_path: Path) -> None:
    path, out = claude_log(tmp_path, history='u"one" | a[th]"x" | u"two" | a[th]"y"'), tmp_path / "out.jsonl"
    said = product.trim(path, out, "--keep", "2").report["trimmed"]["consequences"]
    assert [sentence.split(" ", 5)[:5] for sentence in said] == [
        ["The", "prompt", "cache", "cannot", "be"],
        ["1", "reasoning", "block", "is", "kept,"],
    ]


def test_recorded_tokens_are_shown_before_and_after(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"one" | a"x" | u"two" | a"y" | u"three" | a"z"'))
    for record, tokens in zip(records[1::2], (1000, 2000, 3000), strict=True):
        record["message"]["usage"] = {"input_tokens": tokens, "output_tokens": 10}
    path = saved(tmp_path, "claude-code", lines(records))
    answer = product.trim(path, tmp_path / "out.jsonl", "--keep", "2")
    assert answer.session["trimmed"]["tokens"] == {"before": 3010, "after": 1010}
    assert answer.report["trimmed"]["bytes"]["after"] == (tmp_path / "out.jsonl").stat().st_size
