"""What edits tell is true: what stood there, what stands there now, and every block that changed is named by one."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.repair.presets import PRESETS
from tests.core.formats import WRITABLE
from tests.core.repair.every_format import beside, write
from tests.robustness.fuzz.tree import inner
from tests.robustness.properties.histories import damaged
from tests.robustness.properties.profiles import FEW
from tests.support import product
from tests.support.notation import History, show
from tests.support.thorough import every

# The wires whose messages hold lists of blocks: what stands in another message is told by its fields.
LISTED = ("anthropic-messages", "bedrock-converse", "claude-code", "cline-task", "gemini-contents", "neovate")
FILES = [name for name in WRITABLE if name != "opencode" and not name.endswith(("-database", "-folder"))]


@pytest.mark.parametrize("name", every(3, FILES))
def test_edits_tell_what_stood_and_what_stands(name: str) -> None:
    @FEW
    @given(history=damaged(), preset=st.sampled_from(sorted(PRESETS)))
    def check(history: History, preset: str) -> None:
        with TemporaryDirectory() as folder:
            path = write(WRITABLE[name], history, Path(folder) / "log")
            out = beside(path, "repaired")
            answer = product.repair(path, out, preset=preset)
            if answer.code:
                return
            before, after = path.read_text("utf-8"), out.read_text("utf-8")
        for edit in answer.edits:
            assert (edit["before"] or "") in before, (preset, show(history), edit)
            assert (edit["after"] or "") in after, (preset, show(history), edit)
        was, now = Counter(blocks(before)), Counter(blocks(after))
        for changed, when in () if name not in LISTED else ((was - now, "before"), (now - was, "after")):
            # A block that is told of stands in no list of its own.
            told = {each for edit in answer.edits for each in blocks(f"[{edit[when] or ''}]")}
            assert not changed.keys() - told, (preset, show(history), when, answer.edits)

    check()


def blocks(text: str) -> Iterator[str]:
    """The objects in lists that hold no list of objects themselves: what stands in messages."""
    for value in map(_value, text.splitlines() if "\n{" in text else [text]):
        listed = (block for each in [value, *inner(value)] if isinstance(each, list) for block in each)
        yield from (json.dumps(block) for block in listed if isinstance(block, dict) and not _holds_objects(block))


def _value(text: str) -> Any:
    return json.loads(text) if text.strip() else None


def _holds_objects(value: Any) -> bool:
    return any(isinstance(each, list) and any(isinstance(one, dict) for one in each) for each in inner(value))
