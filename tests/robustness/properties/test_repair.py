"""Laws of the repair on random histories, in every format that is written back: the same bytes, presets, torn files.

What holds of every repair is checked together in `test_invariants`.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.repair.presets import PRESETS
from tests.core.formats import WRITABLE
from tests.core.repair.every_format import beside, contents, write
from tests.robustness.properties.histories import damaged, sound
from tests.robustness.properties.invariants import is_stored
from tests.robustness.properties.profiles import FEW, examples_of
from tests.robustness.properties.records import records_of
from tests.support import product
from tests.support.notation import History, show
from tests.support.projection import texts
from tests.support.thorough import every

FILES = [name for name in WRITABLE if name != "opencode" and not name.endswith(("-database", "-folder"))]


@pytest.mark.parametrize("name", every(4, WRITABLE))
def test_a_sound_history_comes_back_as_the_same_bytes(name: str) -> None:
    @FEW
    @examples_of(name)
    @given(history=sound(thinking="T44" not in WRITABLE[name].cannot))
    def check(history: History) -> None:
        with TemporaryDirectory() as folder:
            path = write(WRITABLE[name], history, Path(folder) / "log")
            out = beside(path, "repaired")
            answer = product.repair(path, out)
            assert (answer.code, answer.edits) == (0, []), show(history)
            assert contents(out) == contents(path)

    check()


@pytest.mark.parametrize("name", every(4, WRITABLE, 1))
def test_every_preset_writes_only_what_is_valid(name: str) -> None:
    written = WRITABLE[name]

    @FEW
    @examples_of(name)
    @given(history=damaged(), preset=st.sampled_from(sorted(PRESETS)))
    def check(history: History, preset: str) -> None:
        with TemporaryDirectory() as folder:
            path = write(written, history, Path(folder) / "log")
            source, out, again = contents(path), beside(path, "repaired"), beside(path, "again")
            answer = product.repair(path, out, preset=preset)
            assert answer.code in (0, 1), (preset, show(history))
            if answer.code:
                assert not out.exists()
                return
            after = written.load(out)
            assert written.judge(after) is None, (preset, show(history), show(after))
            product.repair(out, again, preset=preset)
            assert contents(again) == contents(out), (preset, show(history))
            kept = " ".join(texts(after)) + answer.lost_text
            lost = [text for text in texts(history) if text not in kept and is_stored(source, text)]
            assert [text for text in lost if not is_stored(contents(out), text)] == [], (preset, show(history))

    check()


@pytest.mark.parametrize("name", every(4, FILES))
def test_a_file_cut_anywhere(name: str) -> None:
    written = WRITABLE[name]

    @FEW
    @examples_of(name)
    @given(history=sound(), share=st.floats(0.05, 1.0))
    def check(history: History, share: float) -> None:
        with TemporaryDirectory() as folder:
            path = write(written, history, Path(folder) / "log")
            whole = path.read_bytes()
            path.write_bytes(whole[: int(len(whole) * share)])
            source, out, again = contents(path), beside(path, "repaired"), beside(path, "again")
            answer = product.repair(path, out)
            assert contents(path) == source
            if answer.code:
                assert answer.code in (1, 2, 3)
                assert not out.exists()
                return
            after = written.load(out)
            waits = "D6" in answer.rules  # a stream that has no end yet is still running
            assert waits or not after or written.judge(after) is None, (show(history), show(after))
            assert product.repair(out, again).code == 0
            assert contents(again) == contents(out)
            kept = records_of(contents(out))
            torn = path.read_bytes()
            named = [edit["place"]["bytes"] for edit in answer.edits if edit["place"]]
            missing = (record for record in records_of(source)[:-2] if record not in kept)
            for at, end in ((torn.find(record), torn.find(record) + len(record)) for record in missing):
                # A result may be put in before a record behind its call, which then names it as its parent.
                assert any(low < end and at < high for low, high in named), torn[at:end]

    check()
