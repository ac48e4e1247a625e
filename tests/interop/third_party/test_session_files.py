"""OpenClaw and omp load broken and repaired session files as predicted.

`python -m tests.interop.third_party files` installs them.
"""

from pathlib import Path

import pytest

from tests.interop.third_party.environments import STAMP
from tests.interop.third_party.session_files import BREAKS, OWN_BREAKS, PROGRAMS, tried


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_sends_what_is_predicted_and_every_result_of_a_repaired_file(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    if not (program.environment.folder / STAMP).exists():
        pytest.skip(f"{name} is not installed")
    found = tried(program, tmp_path)
    assert [each.name for each in found] == [*BREAKS, *OWN_BREAKS[name]]
    assert {each.name: each.wrong for each in found if each.wrong} == {}
