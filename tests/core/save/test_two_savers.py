"""Two processes that save one log in place at the same moment: one wins, the other is told, and nothing is lost.

`python -m tests.core.save.test_two_savers 200` tries it as often as it is told.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.core.formats import opencode
from tests.core.formats.opencode import assistant, text, tool, user
from tests.support import product
from tests.support.notation import SESSION, Call, claude_code, parse
from tests.support.paths import ROOT

BROKEN = claude_code(parse('u | a"t"{A} | u"stop" | a"ok"'))
STORED = [user(1, text("go")), assistant(2, tool(Call("A"), None)), user(3, text("stop")), assistant(4, text("ok"))]
SAVER = "import sys; from tests.core.save.test_two_savers import save_when_told; save_when_told(sys.argv[1])"
ROUNDS = 3


def save_when_told(name: str) -> None:
    """One of the two: opens each log that it is told of, waits, saves, and says what came of it."""
    for line in sys.stdin:
        with closing(product.Door(Path(line.strip()))) as door:
            print("open", flush=True)
            sys.stdin.readline()
            try:
                told = {"by": name, "backup": door.save("in-place").backup}
            except product.Refused as error:
                told = {"by": name, "refused": str(error)}
        print(json.dumps(told), flush=True)


def written(kind: str, folder: Path) -> Path:
    if kind == "folder":
        return opencode.write_folder(STORED, folder / "storage")
    if kind == "database":
        return opencode.write_database(STORED, folder / "opencode.db")
    (folder / f"{SESSION}.jsonl").write_bytes(BROKEN)
    return folder / f"{SESSION}.jsonl"


def outcomes(kind: str, folder: Path, rounds: int) -> Counter[str]:
    """What became of as many rounds."""
    savers = [_saver(name) for name in ("one", "other")]
    found: Counter[str] = Counter()
    for number in range(rounds):
        place = folder / str(number)
        place.mkdir()
        log = written(kind, place)
        assert product.check(log).code == 1
        for line in (str(log), "now"):
            for saver in savers:
                print(line, file=saver.stdin, flush=True)
            answers = [saver.stdout.readline() for saver in savers if saver.stdout is not None]
        found[judged(log, [json.loads(answer) for answer in answers])] += 1
    for saver in savers:
        saver.communicate()
    return found


def _saver(name: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SAVER, name]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def judged(log: Path, answers: list[dict[str, str]]) -> str:
    """Whether one won and the other was told, and the log can be put back as it was."""
    won = [answer["backup"] for answer in answers if "backup" in answer]
    told = [answer["refused"] for answer in answers if "refused" in answer]
    if len(won) != 1 or product.check(log).code != 0:
        return f"lost: {answers}"
    kept = [path for path in log.parent.iterdir() if path != log]
    if [str(path) for path in kept] != won:
        return f"other files: {kept}"
    if not any(word in told[0] for word in ("saved by another process", "changed", "in use")):
        return told[0]
    product.run("restore", won[0])
    return "one won, the other was told" if product.check(log).code == 1 else "not put back"


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open is not replaced there")
@pytest.mark.parametrize("kind", ["file", "folder", "database"])
def test_of_two_processes_one_wins_and_the_other_is_told(kind: str, tmp_path: Path) -> None:
    assert outcomes(kind, tmp_path, ROUNDS) == {"one won, the other was told": ROUNDS}


if __name__ == "__main__":
    for each in ("file", "folder", "database"):
        with tempfile.TemporaryDirectory() as spare:
            print(each, dict(outcomes(each, Path(spare), int(sys.argv[1]))))
