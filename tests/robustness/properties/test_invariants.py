"""The invariants of a repair, checked together on random histories in every format that is written back.

`HYPOTHESIS_PROFILE=thorough python -m pytest tests/robustness/properties/test_invariants.py -n 2` tries 2,000 a format.
A failure prints the smallest history that breaks one, in the notation, with what became of it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.formats import WRITABLE
from tests.core.formats.written import IN_ORDER, WrittenFormat
from tests.core.repair.every_format import beside, contents, write
from tests.robustness.properties.histories import damaged
from tests.robustness.properties.invariants import (
    BINDING,
    NOT_APPLICABLE,
    NUMBERED,
    Repaired,
    applies,
    broken,
    no_reasoning_outlives_a_change_before_it,
    without_odd,
)
from tests.robustness.properties.profiles import examples_of
from tests.support import product
from tests.support.notation import History, parse, show
from tests.support.thorough import every

SERVERS = ("anthropic-messages", "claude-code", "claude-stream", "cline-sdk", "cline-task")


def repair(written: WrittenFormat, history: History, folder: Path, profile: str = "") -> Repaired:
    """A history written, repaired three times, and loaded again."""
    path = write(written, history, folder / "log")
    source = contents(path)
    out, twin, again = (beside(path, name) for name in ("repaired", "twin", "again"))
    answer = product.repair(path, out, profile=profile)
    if answer.code:
        raise AssertionError(f"history    {show(history)}\nrefused    {answer.report.get('reason')}")
    product.repair(path, twin, profile=profile)
    product.repair(out, again, profile=profile)
    before = without_odd(written.load(path))
    files = {"kept": contents(path), "out": contents(out), "twin": contents(twin), "again": contents(again)}
    return Repaired(written, history, before, written.load(out), answer, source, **files, profile=profile)


def holds(written: WrittenFormat, history: History, profile: str = "") -> None:
    with TemporaryDirectory() as folder:
        it = repair(written, history, Path(folder), profile)
    failures = broken(it) + ([f"{written.provider} would refuse it: {it.refusal}"] if it.refusal else [])
    if failures:
        losses = [f"{loss['kind']} {loss['text']!r}" for loss in it.answer.losses]
        told = [f"history    {show(history)}", f"loaded as  {show(it.before)}", f"repaired   {show(it.after)}"]
        raise AssertionError("\n".join(["", *told, f"lost       {losses}", *failures]))


@pytest.mark.parametrize("name", every(8, WRITABLE))
def test_every_invariant_holds_of_a_repair(name: str) -> None:
    written = WRITABLE[name]
    histories = damaged(
        thinking="T44" not in written.cannot,
        servers=name in SERVERS,
        developer="T12" not in written.cannot,
        blanks="T54" not in written.cannot,
    )

    binding = [BINDING] if applies(no_reasoning_outlives_a_change_before_it, written) else []
    asked_for = ["", *binding, *([IN_ORDER] if written.in_order else [])]

    @examples_of(name)
    @given(history=histories, profile=st.sampled_from(asked_for))
    def check(history: History, profile: str) -> None:
        holds(written, history, profile)

    check()


def test_the_table_names_every_invariant() -> None:
    assert {number for number, _ in NUMBERED} == {*range(1, 27)}
    providers = {written.provider for written in WRITABLE.values()}
    for invariant, why in NOT_APPLICABLE.items():
        assert invariant in [each for _, each in NUMBERED]
        assert why.keys() <= providers | WRITABLE.keys()
        assert all(why.values())


# What broke an invariant once, smallest first.
ONCE_BROKEN = (
    'u | a{A p=1,B p=2} | u"hi" | r(A=alpha) | a{A p=3} | r(B=beta)',
    'u | a{A p=1} | a{B p=2} | r(A=x) | a{C p=3} | r(B=y) | r(C=z) | a"ok"',
    "u | a{A p=1} | r(B=y) | a | r(A=x) | u | a{B p=2} | r(Z=z) | a",
    "u | r(A=x) | a{A p=1} | r(D=y) | a{D p=2} | r(Z=z) | a",
    "u | r(A=alpha) | a{A p=1} | r(A=beta) | a{A p=2} | a",
    'u | a"one" | a"two" | a{A p=1} | r(A=alpha) | a"three"',
    "u | a{A p=1,A p=1} | r(A=alpha) | a",
    "u | a{A p=1} | r(A=x) | a{B p=2} | r(A=x) | r(B=y,Z=z) | a",
    "u | a{A p=1} | a{B p=2,C p=3} | r(A=x) | r(C=z) | a",
    "u | r(Z=z) | a{A p=1,B p=2,C p=3} | r(B=x,C=y) | r(Z=w) | a",
    "u | a{A p=1} | a[th] | r(B=x) | a",
    "u | a[th]sr(S){A} | a[th]s{T}sr(T){B}",
    "u | a{A p=1} | u | a{B p=2} | r(A=w) | r(B=x),r(B=y),r(Z=z) | a",
)


@pytest.mark.parametrize(
    ("name", "history"),
    every(
        6,
        (
            (name, history)
            for name, written in WRITABLE.items()
            for history in ONCE_BROKEN
            if ("[th]" not in history or "T44" not in written.cannot) and ("sr(" not in history or name in SERVERS)
        ),
    ),
)
def test_what_broke_an_invariant_once_breaks_none(name: str, history: str) -> None:
    holds(WRITABLE[name], parse(history))
    if WRITABLE[name].in_order:
        holds(WRITABLE[name], parse(history), IN_ORDER)
