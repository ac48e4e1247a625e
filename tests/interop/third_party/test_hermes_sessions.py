"""Hermes resumes broken and repaired sessions as predicted.

`python -m tests.interop.third_party rows` installs it.
"""

from pathlib import Path

import pytest

from tests.interop.third_party.environments import STAMP
from tests.interop.third_party.hermes_sessions import BREAKS, ENVIRONMENT, tried


def test_hermes_does_what_is_predicted_and_goes_on_after_the_repair(tmp_path: Path) -> None:
    if not (ENVIRONMENT.folder / STAMP).exists():
        pytest.skip("hermes-agent is not installed")
    found = tried(tmp_path)
    assert [each.name for each in found] == list(BREAKS)
    assert {each.name: each.wrong for each in found if each.wrong} == {}
