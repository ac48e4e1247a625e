"""Google ADK goes on with broken and repaired sessions as predicted.

`python -m tests.interop.third_party events` installs it.
"""

from pathlib import Path

import pytest

from tests.interop.third_party.environments import STAMP
from tests.interop.third_party.google_adk_sessions import BREAKS, RUNS, VERSIONS, tried


@pytest.mark.parametrize(("version", "wire"), RUNS)
def test_a_run_does_what_is_predicted_and_goes_on_after_the_repair(version: str, wire: str, tmp_path: Path) -> None:
    if not (VERSIONS[version].folder / STAMP).exists():
        pytest.skip(f"google-adk {version} is not installed")
    found = tried(tmp_path, version, wire)
    assert [each.name for each in found] == list(BREAKS)
    assert {each.name: each.wrong for each in found if each.wrong} == {}
