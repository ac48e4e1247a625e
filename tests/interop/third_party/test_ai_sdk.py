"""Versions 4 to 7 of the AI SDK send broken and repaired messages as predicted.

`python -m tests.interop.third_party messages` installs them.
"""

import shutil
from pathlib import Path

import pytest

from tests.interop.third_party.ai_sdk import BREAKS, VERSIONS, tried
from tests.interop.third_party.environments import STAMP


@pytest.mark.parametrize("version", VERSIONS)
def test_the_sdk_does_what_is_predicted_and_sends_the_repaired_messages(version: str, tmp_path: Path) -> None:
    if not (shutil.which("node") and (VERSIONS[version].folder / STAMP).exists()):
        pytest.skip(f"version {version} of the AI SDK, or Node, is not installed")
    found = tried(tmp_path, [version])
    assert [each.name for each in found] == [name for name, (readers, _) in BREAKS.items() if version in readers]
    assert {each.name: each.wrong for each in found if each.wrong} == {}
