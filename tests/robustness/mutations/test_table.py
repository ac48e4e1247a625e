"""The table of deliberate faults says what is so: each can be made, in one way, and names tests that there are."""

import ast

import pytest

from tests.robustness.mutations.fault import Fault
from tests.robustness.mutations.table import FAULTS
from tests.support.paths import ROOT


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_made_in_one_way(fault: Fault) -> None:
    """The other way round a fault that no longer fits would be taken for one that is caught."""
    sound = (ROOT / fault.file).read_text("utf-8")
    assert ast.dump(ast.parse(fault.made_in(sound))) != ast.dump(ast.parse(sound))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_names_tests_that_there_are(fault: Fault) -> None:
    assert fault.noticed_by
    for test in fault.noticed_by:
        path, _, name = test.partition("::")
        assert (ROOT / path).is_file()
        assert f"def {name.partition('[')[0]}" in (ROOT / path).read_text("utf-8")


def test_faults_are_told_apart() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert len({(fault.file, fault.there, fault.instead) for fault in FAULTS}) == len(FAULTS)


def test_a_text_that_stands_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="2 times, not once"):
        Fault("f", "a.py", "x", "y", ("t",)).made_in("x = x")
