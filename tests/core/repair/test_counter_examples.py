"""What other repairers got wrong, each in its exact form. Numbers are those of the catalogue of counter-examples."""

import json
from pathlib import Path

import pytest

from tests.core.repair.logs import refused, repaired, saved, written
from tests.support import product
from tests.support.notation import FORMATS, Call, neovate_records, parse
from tests.support.notation import lines as log_lines
from tests.support.projection import as_read, notes_in, printed, read

MESSAGES = ["anthropic", "openai"]
ALL = [*MESSAGES, "claude-code"]


def repaired_to(folder: Path, name: str, history: str, expected: str) -> product.Answer:
    data, answer = repaired(written(folder, name, history), name)
    assert printed(data, name, notes_in(expected)) == as_read(expected, name)
    return answer


@pytest.mark.parametrize("name", ALL)
def test_01_sibling_results_do_not_become_orphans(name: str, tmp_path: Path) -> None:
    repaired_to(tmp_path, name, 'u | a"t"{A,B} | r(A=alpha)', 'u | a"t"{A,B} | r(A=alpha),PH!(B)')


def test_01_a_result_in_another_turn_hides_no_unanswered_call(tmp_path: Path) -> None:
    history = 'u | a{c0} | r(c0=one) | u"q" | a{c0} | u"q2" | a"ok"'
    assert product.check(written(tmp_path, "neovate", history)).errors >= {"D2:c0"}


def test_01_a_circle_of_parents_does_not_hang_the_repair(tmp_path: Path) -> None:
    records = neovate_records(parse('u | a"ok"'))
    records[1]["parentUuid"] = records[2]["uuid"]
    data, _ = repaired(saved(tmp_path, "neovate", log_lines(records)), "neovate")
    assert printed(data, "neovate") == 'u | a"ok"'


def test_01_a_root_is_no_child_of_a_record_with_an_empty_id(tmp_path: Path) -> None:
    records = neovate_records(parse('u"q" | a"ok"'))
    away = records[1] | {"uuid": "", "content": "not asked"}
    path = saved(tmp_path, "neovate", log_lines([records[0], away, *records[1:]]))
    assert product.check(path).session["verdict"] == "healthy"
    assert printed(path.read_bytes(), "neovate") == 'u"q" | a"ok"'


def test_01_a_call_without_a_name_is_given_one(tmp_path: Path) -> None:
    records = neovate_records(parse('u | a{A} | r(A=alpha) | a"ok"'))
    del records[2]["content"][0]["name"]
    data, _ = repaired(saved(tmp_path, "neovate", log_lines(records)), "neovate")
    assert '"name":"invalid_tool_call"' in data.decode().replace(": ", ":")


def test_02_the_text_beside_an_unanswered_call_stays(tmp_path: Path) -> None:
    history = 'u | a"thinking aloud"{A}'
    one_record = json.loads(FORMATS["claude-code"].render(parse(history)).splitlines()[1])
    one_record["message"]["content"].append({"type": "tool_use", "id": "A", "name": "Read", "input": {}})
    first = FORMATS["claude-code"].render(parse("u"))
    path = saved(tmp_path, "claude-code", first + log_lines([one_record]))
    assert printed(repaired(path, "claude-code")[0], "claude-code") == history + " | PH!(A)"


@pytest.mark.parametrize("name", ALL)
def test_03_the_users_message_is_not_eaten(name: str, tmp_path: Path) -> None:
    repaired_to(tmp_path, name, 'u"q" | a"t"{A,B} | u"hi" | r(A=alpha)', 'u"q" | a"t"{A,B} | r(A=alpha),PH!(B)+"hi"')


@pytest.mark.parametrize("name", ALL)
def test_03_a_result_behind_a_user_message_is_moved(name: str, tmp_path: Path) -> None:
    repaired_to(tmp_path, name, 'u | a{A} | u"hi" | r(A=alpha)', 'u | a{A} | r(A=alpha)+"hi"')


def test_04_a_later_calls_result_is_not_given_to_an_earlier_one(tmp_path: Path) -> None:
    repaired_to(
        tmp_path,
        "anthropic",
        'u | a{c0 p=1} | u"q2" | a{c0 p=2} | r(c0=two)',
        'u | a{c0 p=1} | PH!(c0)+"q2" | a{c0-2 p=2} | r(c0-2=two)',
    )
    repaired_to(
        tmp_path,
        "openai",
        'u | a{c0 p=1} | u"q2" | a{c0 p=2} | r(c0=two)',
        'u | a{c0 p=1} | PH(c0) | u"q2" | a{c0 p=2} | r(c0=two)',
    )


@pytest.mark.parametrize("name", ALL)
def test_05_an_id_used_again_erases_no_work(name: str, tmp_path: Path) -> None:
    data, answer = repaired(written(tmp_path, name, "u | a{c0} | r(c0=one) | u | a{c0} | r(c0=two)"), name)
    assert b"one" in data
    assert b"two" in data
    assert answer.losses == []


@pytest.mark.parametrize("name", ALL)
def test_06_results_keep_their_owners(name: str, tmp_path: Path) -> None:
    data, _ = repaired(written(tmp_path, name, "u | a{A} | a{B} | r(A=alpha,B=beta)"), name)
    shown = printed(data, name)
    assert "r(A=alpha)" in shown
    assert "r(B=beta)" in shown


def test_07_a_valid_history_is_not_repaired(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", "u | a{A} | a{B} | r(A=alpha,B=beta)")
    assert repaired(path, "anthropic")[0] == path.read_bytes()


def test_07_what_the_provider_would_join_and_the_agent_does_not_is_repaired(tmp_path: Path) -> None:
    """Claude Code looks for results right behind their own message alone, and would drop the first of these."""
    path = written(tmp_path, "claude-code", "u | a{A} | a{B} | r(A=alpha,B=beta)")
    data, _ = repaired(path, "claude-code")
    assert printed(data, "claude-code") == "u | a{A} | r(A=alpha) | a{B} | r(B=beta)"


@pytest.mark.parametrize("name", ALL)
def test_08_no_call_is_invented(name: str, tmp_path: Path) -> None:
    data, _ = repaired(written(tmp_path, name, 'u | a{A p=1} | u"hi" | a"mm" | r(A=alpha) | a'), name)
    assert [call for turn in read(data, name) for call in turn.of(Call)] == [Call("A", input={"p": 1})]


@pytest.mark.parametrize("name", ALL)
def test_09_no_call_is_answered_twice(name: str, tmp_path: Path) -> None:
    data, _ = repaired(written(tmp_path, name, 'u | a{A} | u"hi" | r(A=alpha)'), name)
    shown = printed(data, name)
    assert "PH" not in shown
    assert shown.count("(A=") == 1


def test_10_a_result_anywhere_is_not_an_answer(tmp_path: Path) -> None:
    refused(written(tmp_path, "openai", "u | r(A=alpha) | a{A} | u"), preset="deepagents")


@pytest.mark.parametrize("name", ALL)
def test_11_an_output_before_its_call_does_not_count(name: str, tmp_path: Path) -> None:
    assert "R2:A" in product.check(written(tmp_path, name, "u | r(A=alpha) | a{A} | u")).errors


@pytest.mark.parametrize("name", ALL)
def test_12_dropping_one_of_two_calls_with_one_id(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a{c0} | r(c0=one) | u | a"t2"{c0} | u"q" | a"last word"')
    data, _ = repaired(path, name, strategies="D2=drop-call")
    assert printed(data, name) == as_read('u | a{c0} | r(c0=one) | u | a"t2" | u"q" | a"last word"', name)


def broken_off(folder: Path, history: str) -> Path:
    """A session whose calls stand in messages that were cut off, as their stop_reason says."""
    records = [json.loads(line) for line in FORMATS["claude-code"].render(parse(history)).splitlines()]
    for record in records:
        if record["message"].get("stop_reason") == "tool_use":
            record["message"]["stop_reason"] = "max_tokens"
    return saved(folder, "claude-code", log_lines(records))


def test_13_a_pair_in_a_message_that_broke_off_stays_a_pair(tmp_path: Path) -> None:
    path = broken_off(tmp_path, 'u | a"t"{A} | r(A=alpha) | u')
    assert product.check(path).errors == set()
    assert repaired(path, "claude-code")[0] == path.read_bytes()


def test_13_an_open_call_in_a_message_that_broke_off_keeps_its_message(tmp_path: Path) -> None:
    path = broken_off(tmp_path, 'u | a"t"{A,B} | r(A=alpha) | u"go on"')
    assert product.check(path).errors == {"D5:B"}
    data, answer = repaired(path, "claude-code")
    assert printed(data, "claude-code") == 'u | a"t"{A,B} | r(A=alpha),PH!(B)+"go on"'
    assert answer.losses == []


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("keep", range(1, 7))
def test_14_a_cut_within_an_exchange_still_removes_something(name: str, keep: int, tmp_path: Path) -> None:
    """Kilo's cut goes back to the call of the result at hand: of eight messages eight are kept."""
    path = written(tmp_path, name, 'u"task" | a{A} | u"note" | r(A=x) | a"ok" | u"next" | a{B} | r(B=y)')
    answer = product.trim(path, tmp_path / "out", "--keep", str(keep), "--repair")
    counts = answer.session["trimmed"]["messages"]
    assert answer.code == 0, answer.report["reason"]
    assert counts["after"] < counts["before"]
    assert product.check(tmp_path / "out").errors == set()


@pytest.mark.parametrize("name", ALL)
def test_15_placeholders_stand_at_their_call_and_before_the_text(name: str, tmp_path: Path) -> None:
    repaired_to(
        tmp_path,
        name,
        'u | a{A} | u"text" | a{B} | r(B=beta)',
        'u | a{A} | PH!(A)+"text" | a{B} | r(B=beta)',
    )


@pytest.mark.parametrize("name", ALL)
def test_16_equal_sets_of_ids_hide_no_duplicate(name: str, tmp_path: Path) -> None:
    answer = product.check(written(tmp_path, name, "u | a{A,B} | r(A=alpha),r(B=beta),r(A=alpha) | a"))
    assert answer.errors == {"R5:A"}


def test_17_an_answer_between_call_and_result_is_noticed(tmp_path: Path) -> None:
    history = 'u | a{A} | a"text" | r(A=alpha)'
    assert product.check(written(tmp_path, "openai", history)).errors == {"R4:A"}
    repaired_to(tmp_path, "openai", history, 'u | a{A} | r(A=alpha) | a"text"')


@pytest.mark.parametrize("name", ["anthropic", "claude-code"])
def test_18_reasoning_goes_with_the_call_that_it_led_to(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a[th]"t"{A,B} | r(A=alpha) | u')
    data, answer = repaired(path, name, strategies="D3=drop-call")
    assert printed(data, name) == 'u | a"t"{A} | r(A=alpha)+"u"'
    assert [loss["text"] for loss in answer.losses if loss["kind"] == "reasoning"] == ["th"]


@pytest.mark.parametrize("name", ["anthropic", "claude-code"])
def test_18_reasoning_behind_a_change_goes_where_it_is_bound(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a[th=before]{A} | u"go on" | a[th=behind]"ok"')
    data, answer = repaired(path, name, profile="anthropic-prefix-bound")
    assert printed(data, name) == 'u | a[th=before]{A} | PH!(A)+"go on" | a"ok"'
    assert [loss["text"] for loss in answer.losses] == ["behind"]


@pytest.mark.parametrize("name", ALL)
def test_19_every_pass_bears_duplicates(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, "u | a{A} | r(A=alpha),r(A=alpha),r(A=alpha) | r(A=beta) | a | r(A=alpha)")
    repaired(path, name)


@pytest.mark.parametrize("name", ALL)
def test_20_a_paired_result_that_speaks_of_interruption_stays(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a{A} | r(A="[Tool use interrupted]") | a')
    assert repaired(path, name)[0] == path.read_bytes()


@pytest.mark.parametrize("name", ALL)
def test_21_every_change_is_named(name: str, tmp_path: Path) -> None:
    _, answer = repaired(written(tmp_path, name, 'u | a{A} | u"hi" | r(A=alpha) | a{B} | u'), name)
    assert answer.edits
    assert all("record" in edit for edit in answer.edits)


def test_22_one_call_in_two_fields_is_answered_once(tmp_path: Path) -> None:
    """An assistant message with `tool_calls` and, once more, a `tool_use` block."""
    messages = json.loads(FORMATS["openai"].render(parse("u | a{A} | u")))["messages"]
    messages[1]["content"] = [{"type": "tool_use", "id": "A", "name": "Read", "input": {}}]
    path = saved(tmp_path, "openai", json.dumps({"model": "gpt-4o", "messages": messages}).encode())
    answer = product.check(path)
    assert (answer.session["calls"], answer.errors) == (1, {"D2:A", "M12"})
    assert product.repair(path, tmp_path / "out.json").code == 0
    roles = [message["role"] for message in json.loads((tmp_path / "out.json").read_bytes())["messages"]]
    assert roles == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize("name", ALL)
def test_23_an_orphan_may_be_the_only_evidence(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a"ok" | r(Z="paid 120 euros") | a')
    kept, _ = repaired(path, name)
    assert b"paid 120 euros" in kept
    dropped, answer = repaired(path, name, preset="clean")
    assert b"paid 120 euros" not in dropped
    assert "paid 120 euros" in answer.lost_text
