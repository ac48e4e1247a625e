"""Every command over every sample, as it is and made hostile."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.robustness.sandbox.hostile import WORDS, hostile, traps
from tests.robustness.sandbox.watch import Trespass, watching
from tests.support import paths, product
from tests.support.thorough import every

SAMPLES = sorted(paths.SAMPLES.glob("*.json*"))
READING = (
    "check LOG", "check LOG --format json -o OUT", "check LOG --accepted-by all", "sessions FOLDER", "sent LOG",
    "explain --error messages.1:tool_use LOG", "repair LOG --dry-run", "compare LOG LOG",
)  # fmt: skip
WRITING = (
    "repair LOG -o OUT", "trim LOG --keep 2 --repair -o OUT", "convert LOG --to markdown -o OUT",
    "convert LOG --to anthropic --repaired -o OUT", "repair LOG --new-session", "repair LOG --in-place",
)  # fmt: skip


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[dict[str, bytes]]:
    """What nobody may touch; looked at once more at the end."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "precious").write_text("precious")
    yield {}
    assert [(path.name, path.read_text()) for path in place.iterdir()] == [("precious", "precious")]


def run_all(log: Path) -> None:
    """All commands; the folder of the log is the only one that is theirs."""
    folder = log.parent
    places = {"LOG": str(log), "OUT": str(folder / "made"), "FOLDER": str(folder)}
    with watching([folder]):
        for command in (*READING, *WRITING):
            shutil.rmtree(folder / "made", ignore_errors=True)
            told = product.run(*(places.get(word, word) for word in command.split()))
            assert told.exit_code in (0, 1, 2, 3), command
            assert "an internal error" not in told.output, (command, told.output)
        for backup in folder.glob("*.backup"):
            product.run("restore", str(backup))


@pytest.mark.parametrize("sample", every(3, SAMPLES), ids=lambda sample: sample.name)
@pytest.mark.usefixtures("outside")
def test_a_sample_is_worked_on_in_its_folder_alone(sample: Path, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    run_all(Path(shutil.copy(sample, tmp_path / "log" / sample.name)))


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize(
    "sample", every(3, (each for each in SAMPLES if "broken" in each.name)), ids=lambda sample: sample.name
)
@pytest.mark.usefixtures("outside")
def test_what_a_log_says_is_not_done(sample: Path, words: str, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    run_all(hostile(sample, WORDS[words], tmp_path / "log"))


def test_stores_do_not_reach_out_of_their_folder(tmp_path: Path) -> None:
    for store in traps(tmp_path):
        run_all(store)
    assert sorted(path.name for path in (tmp_path / "outside").iterdir()) == ["part.json", "precious"]


# --- the watch itself


@pytest.mark.parametrize(
    "deed",
    [
        "open('../evil', 'w')",
        "__import__('os').mkdir('../evil')",
        "__import__('os').rename('log', '../evil')",
        "__import__('socket').socket()",
        "__import__('subprocess').run(['true'])",
        "__import__('os').system('true')",
        "__import__('sqlite3').connect('../evil')",
    ],
)
def test_the_watch_sees_it(deed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "spare").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "spare"))
    monkeypatch.chdir(tmp_path / "log")
    as_the_product = compile(deed, "/inspector/core/evil.py", "exec")
    with pytest.raises(Trespass), watching([tmp_path / "log"]):
        exec(as_the_product)
    assert not (tmp_path / "evil").exists()
