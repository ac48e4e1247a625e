"""A compaction that kept results and lost their calls (Kilo Code's fix): the reported history and three scenarios."""

import json
from pathlib import Path

import pytest

from tests.core.repair.logs import repaired, saved, written
from tests.support import product
from tests.support.notation import FORMATS, parse
from tests.support.projection import printed

ID = "tooluse_Y1KV8wGGRRaPqg_y8Sjfiw"
CONTENT = "[read_file for 'packages/core/package.json', "
REPORTED = [
    {"role": "assistant", "content": "1. Previous Conversation:"},
    {"role": "tool", "tool_call_id": ID, "content": CONTENT},
]
TEN = (
    'u"read the file" | a{A@read_file} | r(A=alpha) | u"go on" | a"ok" | u"more" | a{B@read_file} | r(B=beta) | a"done"'
)


def test_the_reported_history(tmp_path: Path) -> None:
    path = saved(tmp_path, "openai", json.dumps(REPORTED, indent=2).encode())
    assert product.check(path).errors == {f"R1:{ID}"}
    data, answer = repaired(path, "openai", strategies="R1=drop")
    assert json.loads(data) == REPORTED[:1]
    assert (
        CONTENT in json.loads(json.dumps(answer.lost_text, ensure_ascii=False)) or "packages/core" in answer.lost_text
    )


def test_the_reported_history_keeps_the_result_by_default(tmp_path: Path) -> None:
    path = saved(tmp_path, "openai", json.dumps(REPORTED, indent=2).encode())
    data, answer = repaired(path, "openai")
    first, note = json.loads(data)
    assert first == REPORTED[0]
    assert note["role"] == "user"
    assert CONTENT in note["content"]
    assert ID in note["content"]
    assert CONTENT not in answer.lost_text or answer.losses == []


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_scenario_1_a_whole_pair_stays(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u"go" | a{tool_1@read_file path=x} | r(tool_1="...")')
    assert product.check(path).errors == set()
    assert repaired(path, name)[0] == path.read_bytes()


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_scenario_2_the_orphan_is_skipped(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u"Previous conversation..." | r(tool_1=alpha)')
    assert product.check(path).errors == {"R1:tool_1"}
    data, answer = repaired(path, name, preset="clean")
    assert printed(data, name) == 'u"Previous conversation..."'
    assert "alpha" in answer.lost_text


@pytest.mark.parametrize("name", ["anthropic", "openai"])
@pytest.mark.parametrize("cut", range(1, 9))
def test_scenario_3_any_cut_is_repaired_to_a_sound_history(cut: int, name: str, tmp_path: Path) -> None:
    """The task stays, `cut` turns after it go, as the old truncation did it."""
    history = parse(TEN)
    path = saved(tmp_path, name, FORMATS[name].render([*history[:1], *history[1 + cut :]]))
    between = cut in (1, 6)  # the call went and its result stayed
    assert bool(product.check(path).errors) == between
    data, answer = repaired(path, name)
    assert (data != path.read_bytes()) == between
    text = data.decode()
    assert all(word in text for word in ("alpha", "beta") if word in path.read_text())
    assert "read the file" in text
    assert answer.code == 0
