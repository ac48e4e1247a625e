"""Each history: the verdict, validity afterwards by independent judges, nothing lost untold, twice the same bytes."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.core.error_lookup.lookup import found
from tests.interop.peer_cases.table import CASES, Expected
from tests.interop.peer_cases.wires import WIRES, Wire, text_behind_call
from tests.interop.third_party.judges import JUDGES
from tests.interop.third_party.shapes import pydantic
from tests.support import product
from tests.support.judges import merged, mistral_error, mistral_refusal
from tests.support.notation import PLACEHOLDER_START, Call, Result, Text
from tests.support.paths import SHARED
from tests.support.product import Answer

FOLDER = Path(os.environ.get("TRANSCRIPT_PEERCASES", SHARED / "peercases"))
NOTES = ("[result without its call, id ", "[second result, id ")
SAYING = frozenset({"text", "content", "output"})

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no histories: TRANSCRIPT_PEERCASES names no folder of them"
)


class Repaired:
    """One history on disk, judged and repaired."""

    def __init__(self, name: str, folder: Path) -> None:
        case = json.loads((FOLDER / f"{name}.json").read_bytes())
        self.expected: Expected = CASES[name]
        self.wire: Wire = WIRES[case["wire"]]
        self.path = self.wire.write(case["messages"], folder)
        self.before = self.path.read_bytes()
        self.checked = product.check(self.path, profile=self.expected.profile)
        self.out, self.answer = self.again(self.path, "repaired")
        self.history = self.wire.load(self.out)

    def again(self, path: Path, name: str) -> tuple[Path, Answer]:
        out = path.parent / name / self.wire.file
        out.parent.mkdir()
        asked = self.expected
        answer = product.repair(path, out, strategies=asked.strategies, profile=asked.profile)
        assert answer.code == 0, answer.report.get("reason")
        return out, answer


@pytest.fixture(scope="module")
def repaired(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Repaired]:
    """Each history once, for all that is asked of it."""
    return cache(lambda name: Repaired(name, tmp_path_factory.mktemp(name)))


@pytest.fixture
def it(request: pytest.FixtureRequest, repaired: Callable[[str], Repaired]) -> Repaired:
    return repaired(request.param)


every_case = pytest.mark.parametrize("it", CASES, indirect=True)


@every_case
def test_the_verdict(it: Repaired) -> None:
    assert it.checked.session["verdict"] == it.expected.verdict
    assert it.path.read_bytes() == it.before
    if it.expected.verdict == "healthy" and not it.expected.strategies:
        assert it.out.read_bytes() == it.before


@every_case
def test_its_provider_takes_it_afterwards(it: Repaired) -> None:
    assert it.wire.error(it.out) is None
    if "M11" in it.expected.strategies:
        assert text_behind_call(it.history) is None


@every_case
def test_results_stand_in_and_notes_are_as_many_as_expected(it: Repaired) -> None:
    results = [part.text for turn in it.history for part in turn.of(Result)]
    stand_ins = [text for text in results if text.startswith(PLACEHOLDER_START)]
    said = [part.text for turn in it.history for part in turn.of(Text)]
    notes = [text for text in said if text.startswith(NOTES)]
    found = len(results) - len(stand_ins), len(stand_ins), len(notes)
    assert found == (it.expected.results, it.expected.stand_ins, it.expected.notes)
    assert all(text.partition("\n")[2].strip() for text in notes)


@every_case
def test_nothing_is_lost_that_is_not_told(it: Repaired) -> None:
    kept = "\n".join([*words(it.wire.read(it.out)), *(loss["text"] for loss in it.answer.losses)])
    assert [said for said in words(it.wire.read(it.path)) if said not in kept] == []


@every_case
def test_repairing_it_again_changes_nothing(it: Repaired) -> None:
    again, _ = it.again(it.out, "again")
    twin, _ = it.again(it.path, "twin")
    assert again.read_bytes() == it.out.read_bytes()
    assert twin.read_bytes() == it.out.read_bytes()


def words(value: Any, key: str = "") -> Iterator[str]:
    """Everything that is said anywhere in some messages."""
    if isinstance(value, str) and key in SAYING and value.strip():
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from words(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from words(inner, key)


# a pasted error


def of_an_item(it: Repaired) -> str:
    own = it.wire.read(it.path)[2]["payload"]["id"]
    return (
        f"[input[371].id] [invalid_id_prefix] Invalid 'input[371].id': '{own}'. Expected an ID that begins with 'msg'."
    )


def of_a_call(it: Repaired) -> str:
    (call,) = (part for turn in it.wire.load(it.path) for part in turn.of(Call))
    return f"messages.9: `tool_use` ids were found without `tool_result` blocks immediately after: {call.id}. Each"


@pytest.mark.parametrize(
    ("it", "error", "place"),
    [
        ("d05_codex_rollout_message_uuid", of_an_item, "id 2 K10:"),
        ("d10_thinking_call_text", of_a_call, "id 1 M11:"),
    ],
    indirect=["it"],
)
def test_the_provider_s_error_leads_to_it(it: Repaired, error: Callable[[Repaired], str], place: str) -> None:
    (told,) = found(it.path, error(it))
    assert told.startswith(place)


# other people's judges, who read messages in which a result stands right behind its call


@pytest.fixture(scope="module")
def in_order(repaired: Callable[[str], Repaired]) -> dict[str, Repaired]:
    all_of_them = {name: repaired(name) for name in CASES}
    return {name: it for name, it in all_of_them.items() if it.wire.in_order}


def test_mistral_common_accepts_them(in_order: dict[str, Repaired]) -> None:
    refusals = {name: mistral_error(it.history) for name, it in in_order.items()}
    assert {name: refusal for name, refusal in refusals.items() if refusal} == {}


def test_pydantic_ai_accepts_them(in_order: dict[str, Repaired]) -> None:
    pytest.importorskip("pydantic_ai.messages", reason="pydantic-ai, a judge from outside, is not installed")
    judge = next(judge for judge in JUDGES if judge.name == "pydantic-ai")
    rows = [pydantic(merged(it.history)) for it in in_order.values()]
    answers = judge.environment.run([sys.executable], judge.program, rows)
    assert [name for name, answer in zip(in_order, answers, strict=True) if answer["refused"]] == []


def test_mistral_common_takes_the_very_messages_that_were_made_for_it(in_order: dict[str, Repaired]) -> None:
    (it,) = (each for each in in_order.values() if each.expected.profile == "mistral")
    assert mistral_refusal(it.wire.read(it.path)) is not None
    assert mistral_refusal(it.wire.read(it.out)) is None


def test_every_history_has_its_row() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(CASES)
