"""Agents of LangGraph continue broken and repaired threads as predicted.

`python -m tests.interop.third_party` installs them.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.interop.third_party.environments import PROGRAMS
from tests.interop.third_party.graph_threads import BREAKS, ENVIRONMENT, KINDS, tried


def python_with_langgraph() -> str:
    if find_spec("langgraph") is not None and find_spec("deepagents") is not None:
        return sys.executable
    return str(ENVIRONMENT.python) if ENVIRONMENT.python.exists() else ""


@pytest.mark.skipif(not python_with_langgraph(), reason="langgraph and deepagents are not installed")
def test_threads_go_on_as_predicted_and_after_their_repair(tmp_path: Path) -> None:
    assert (PROGRAMS / "langgraph_thread.py").is_file()
    found = tried(tmp_path, python_with_langgraph())
    assert len(found) == len(BREAKS) * len(KINDS)
    assert {each.name: each.wrong for each in found if each.wrong} == {}
