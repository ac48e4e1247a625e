"""Agents of Strands continue broken and repaired sessions as predicted.

`python -m tests.interop.third_party folders` installs the SDK.
"""

from pathlib import Path

import pytest

from tests.interop.third_party.environments import STAMP
from tests.interop.third_party.strands_sessions import BREAKS, ENVIRONMENT, WIRES, tried


@pytest.mark.parametrize("wire", WIRES)
def test_an_agent_does_what_is_predicted_and_goes_on_after_the_repair(wire: str, tmp_path: Path) -> None:
    if not (ENVIRONMENT.folder / STAMP).exists():
        pytest.skip(f"{ENVIRONMENT.packages[0]} is not installed")
    found = tried(tmp_path, wire)
    assert [each.name for each in found] == list(BREAKS)
    assert {each.name: each.wrong for each in found if each.wrong} == {}
