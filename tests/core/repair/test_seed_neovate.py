"""Neovate's design for cleaning a session on resume: its worked example, its table of edge cases, its test plan."""

import json
from pathlib import Path

import pytest

from tests.core.repair.logs import refused, repaired, saved, written
from tests.support import product
from tests.support.notation import lines, neovate_records, parse
from tests.support.projection import as_read, neovate_path, printed

EXAMPLE = (
    'u"read file.ts" | a{toolu_001@read path="file.ts"} | r(toolu_001="export {}") | a{toolu_002@write path="file.ts"}'
)
CLEANED = 'u"read file.ts" | a{toolu_001@read path="file.ts"} | r(toolu_001="export {}")'
PRESETS = ["neovate", "neovate-safe"]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_worked_example(preset: str, tmp_path: Path) -> None:
    path = written(tmp_path, "neovate", EXAMPLE)
    assert product.check(path).errors == {"D1:toolu_002"}
    data, _ = repaired(path, "neovate", preset=preset)
    assert printed(data, "neovate") == as_read(CLEANED, "neovate")
    assert data == b"".join(path.read_bytes().splitlines(keepends=True)[:-1])


def test_the_worked_example_loses_nothing_by_default(tmp_path: Path) -> None:
    data, answer = repaired(written(tmp_path, "neovate", EXAMPLE), "neovate")
    assert printed(data, "neovate") == as_read(EXAMPLE + " | PH!(toolu_002)", "neovate")
    assert answer.losses == []


def test_a_line_that_is_written_twice_is_loaded_twice(tmp_path: Path) -> None:
    """`filterMessages` keeps every message whose id is on the path."""
    made = neovate_records(parse('u"go" | a{A p=1} | r(A=x) | a"ok"'))
    once = lines(made)
    for twice in (2, 3):
        data = lines([*made[: twice + 1], *made[twice:]])
        path = saved(tmp_path, "neovate", data)
        assert product.check(path).session["verdict"] == "broken"
        assert repaired(path, "neovate")[0] == once


def test_what_neovate_needs_of_an_inserted_result(tmp_path: Path) -> None:
    data, _ = repaired(written(tmp_path, "neovate", EXAMPLE), "neovate")
    config, *messages = [json.loads(line) for line in data.splitlines()]
    call, result = messages[-2]["content"][0], messages[-1]
    assert config["type"] == "config"
    assert (result["role"], result["type"], result["parentUuid"]) == ("tool", "message", messages[-2]["uuid"])
    (part,) = result["content"]
    assert (part["type"], part["toolCallId"]) == ("tool-result", call["id"])
    assert (part["toolName"], part["input"]) == (call["name"], call["input"])
    assert part["result"]["llmContent"]
    assert part["result"]["isError"] is True


@pytest.mark.parametrize("preset", PRESETS)
def test_no_messages(preset: str, tmp_path: Path) -> None:
    path = saved(tmp_path, "neovate", b'{"type":"config","config":{"approvalMode":"default"}}\n')
    assert product.check(path).session["verdict"] == "healthy"
    assert repaired(path, "neovate", preset=preset)[0] == path.read_bytes()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("history", ['u | a"hello" | u | a', "u | a{A,B} | r(A=alpha),r(B=beta) | a"])
def test_no_calls_or_all_answered(preset: str, history: str, tmp_path: Path) -> None:
    path = written(tmp_path, "neovate", history)
    assert repaired(path, "neovate", preset=preset)[0] == path.read_bytes()


@pytest.mark.parametrize("preset", PRESETS)
def test_text_and_an_unanswered_call_go_together(preset: str, tmp_path: Path) -> None:
    path = written(tmp_path, "neovate", 'u | a"thinking aloud"{A} | u"go on" | a"ok"')
    data, answer = repaired(path, "neovate", preset=preset)
    assert printed(data, "neovate") == 'u | u"go on" | a"ok"'
    assert "thinking aloud" in answer.lost_text


def test_one_unanswered_call_of_several_orphans_its_siblings(tmp_path: Path) -> None:
    path = written(tmp_path, "neovate", 'u | a"thinking aloud"{A,B} | r(A=alpha) | u"go on"')
    refused(path, preset="neovate")


def test_the_safe_variant_takes_the_siblings_along(tmp_path: Path) -> None:
    path = written(tmp_path, "neovate", 'u | a"thinking aloud"{A,B} | r(A=alpha) | u"go on"')
    data, answer = repaired(path, "neovate", preset="neovate-safe")
    assert printed(data, "neovate") == 'u | a"thinking aloud" | u"go on"'
    assert "alpha" in answer.lost_text


def test_two_unanswered_calls_in_two_messages(tmp_path: Path) -> None:
    path = written(tmp_path, "neovate", 'u | a{toolu_002} | u"go on" | a{toolu_003} | u"once more"')
    assert product.check(path).errors == {"D2:toolu_002", "D2:toolu_003"}
    data, _ = repaired(path, "neovate", preset="neovate")
    assert printed(data, "neovate") == 'u | u"go on" | u"once more"'


def test_resume_walks_the_whole_repaired_session(tmp_path: Path) -> None:
    path = written(tmp_path, "neovate", 'u | a{A} | u"go on" | a"ok"')
    for preset in ("canonical", *PRESETS):
        data, _ = repaired(path, "neovate", preset=preset)
        messages = [json.loads(line) for line in data.splitlines()][1:]
        assert neovate_path(data) == messages
        assert messages[-1] == json.loads(path.read_bytes().splitlines()[-1])


def test_a_circle_of_parents_does_not_hang(tmp_path: Path) -> None:
    records = neovate_records(parse('u | a"ok" | u"q" | a"fine"'))
    records[1]["parentUuid"] = records[3]["uuid"]
    path = saved(tmp_path, "neovate", lines(records))
    assert "G2" in product.check(path).rules
    assert printed(repaired(path, "neovate")[0], "neovate") == 'u | a"ok" | u"q" | a"fine"'


def test_cancelled_parallel_calls_fork_and_lose_results(tmp_path: Path) -> None:
    """The program writes one message a cancelled call, all under the assistant's: only the last one is walked."""
    records = neovate_records(parse('u | a{A,B} | r(A=alpha) | r(B=beta) | u"go on"'))
    records[4]["parentUuid"] = records[2]["uuid"]
    path = saved(tmp_path, "neovate", lines(records))
    assert product.check(path).session["verdict"] == "broken"
    data, answer = repaired(path, "neovate")
    assert sorted(printed(data, "neovate").split(" | ")[2].split(",")) == ["r(A=alpha)", "r(B=beta)"]
    assert answer.losses == []


def test_the_older_shape_of_results_is_understood(tmp_path: Path) -> None:
    records = neovate_records(parse("u | a{A} | r(A=alpha) | a"))
    part = records[3]["content"][0]
    records[3] |= {
        "role": "user",
        "content": [{"type": "tool_result", "id": "A", "name": "Read", "input": {}, "result": part["result"]}],
    }
    path = saved(tmp_path, "neovate", lines(records))
    assert product.check(path).session["verdict"] == "healthy"
    assert repaired(path, "neovate")[0] == path.read_bytes()


def test_on_resume_says_what_neovate_does(tmp_path: Path) -> None:
    resume = product.check(written(tmp_path, "neovate", EXAMPLE)).session["on_resume"]
    assert "neovate" in resume["agent"]
    assert resume["outcome"] in ("as-is", "mends", "refuses", "unknown")
