"""A long history with many ids used again costs as much a record as a short one (T58)."""

import time
from pathlib import Path

import pytest

from tests.core.formats import WRITABLE
from tests.core.repair.every_format import write
from tests.support import product
from tests.support.judges import anthropic_error
from tests.support.notation import Call, History, Result, Text, Turn


def history(items: int) -> History:
    """Four messages an exchange; the last `items / 100` calls use the first ids again."""
    turns: History = []
    for number in range(items // 4):
        id_ = f"call_{number % (items // 4 - items // 100)}"
        turns += [
            Turn("user", (Text(f"prompt {number}"),)),
            Turn("assistant", (Call(id_, input={"n": number}),)),
            Turn("user", (Result(id_, f"output {number}"),)),
            Turn("assistant", (Text(f"answer {number}"),)),
        ]
    return turns


def seconds(items: int, folder: Path) -> float:
    """Processor time of a repair, whose output is judged."""
    path = write(WRITABLE["anthropic-messages"], history(items), folder / str(items))
    out = path.with_name("repaired.json")
    begun = time.process_time()
    answer = product.repair(path, out)
    spent = time.process_time() - begun
    assert answer.code == 0
    assert len({finding["id"] for finding in answer.findings if finding["rule"] == "K1"}) == items // 100
    assert answer.losses == []
    loaded = WRITABLE["anthropic-messages"].load(out)
    assert anthropic_error(loaded) is None
    assert [r.text for turn in loaded for r in turn.of(Result)] == [f"output {n}" for n in range(items // 4)]
    return spent


@pytest.mark.slow
@pytest.mark.parametrize("items", [20_000, pytest.param(100_000, marks=pytest.mark.thorough)])
def test_t58_many_items_of_which_a_hundredth_reuses_an_id(items: int, tmp_path: Path) -> None:
    quarter, whole = seconds(items // 4, tmp_path), seconds(items, tmp_path)
    assert whole < 4 * quarter * 1.8, f"{quarter:.1f} s for a quarter, {whole:.1f} s for the whole"
