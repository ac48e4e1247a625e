"""The OpenAI Agents SDK resumes broken and repaired sessions as predicted.

`python -m tests.interop.third_party` installs it.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.interop.third_party.agent_sessions import BREAKS, ENVIRONMENT, tried
from tests.interop.third_party.environments import PROGRAMS


def python_with_the_sdk() -> str:
    if find_spec("agents") is not None:
        return sys.executable
    return str(ENVIRONMENT.python) if ENVIRONMENT.python.exists() else ""


@pytest.mark.skipif(not python_with_the_sdk(), reason="openai-agents is not installed")
def test_the_sdk_does_what_is_predicted_and_resumes_the_repaired_sessions(tmp_path: Path) -> None:
    assert (PROGRAMS / "openai_agents_session.py").is_file()
    found = tried(tmp_path, python_with_the_sdk())
    assert [each.name for each in found] == list(BREAKS)
    assert {each.name: each.wrong for each in found if each.wrong} == {}
