"""Many logs are judged by several processes: results do not depend on their number, and none keeps running."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import closing
from itertools import accumulate
from pathlib import Path

import pytest

from inspector.core.engine import log_list, parallel_reader, workers
from inspector.core.engine import workers as many
from inspector.core.engine.log import OpenLog
from inspector.core.errors import Cancelled, ChangedMeanwhile
from inspector.core.formats.base.format import IsCancelled
from inspector.core.storage.temporary_files import SpoolFile
from tests.support.notation import claude_code, parse
from tests.support.packing import packed
from tests.support.paths import ROOT
from tests.system.any_number_of_processes import differing

SOUND, BROKEN = claude_code(parse("u | a{A} | r(A=x) | a")), claude_code(parse("u | a{A} | u"))

LARGE = """
from inspector.core.storage.source import Source
from inspector.core.engine import parallel_reader as index
index.FORK_MIN_SIZE = index.SPAWN_MIN_SIZE = index.PART_SIZE = 1
""".strip().replace("\n", "; ")

linux = pytest.mark.skipif(sys.platform != "linux", reason="told of processes by /proc")


def folder_of(place: Path, count: int = 20, packing: bool = False) -> Path:
    """Logs of which each third is broken, one that is empty, and a file that is no log."""
    (place / "logs").mkdir()
    for number in range(count):
        data = SOUND if number % 3 else BROKEN
        name, data = (f"{number:02}.jsonl.zst", packed(data)) if packing else (f"{number:02}.jsonl", data)
        (place / "logs" / name).write_bytes(data)
    (place / "logs" / "notes.txt").write_text("no log")
    return place / "logs"


def command(*arguments: str, before: str = "") -> list[str]:
    """A process whose program runs; `before` it, a line of Python.

    Ctrl+C reaches it, too, where the tests themselves were started to ignore it, as a shell starts what it puts behind.
    """
    at_once = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from inspector.core.engine import workers; workers.FORK_AFTER_SECONDS = 0"
    )
    return [sys.executable, "-c", f"{at_once}\n{before}\nfrom inspector.__main__ import main\nmain()", *arguments]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_same_is_told_whatever_the_number_of_processes(form: str, tmp_path: Path) -> None:
    logs, told = folder_of(tmp_path), []
    for jobs in ("1", "2", "4"):
        done = subprocess.run(
            command("check", str(logs), str(tmp_path / "gone"), str(logs), "--format", form, "--jobs", jobs),
            capture_output=True,
            check=False,
            env=environment(),
        )
        told.append((done.returncode, done.stdout, done.stderr))
    assert told[0] == told[1] == told[2]
    assert (told[0][0], told[0][1].count(b"19.jsonl"), told[0][2]) == (2, 2, b"")


def test_the_same_is_repaired_whatever_the_number_of_processes(tmp_path: Path) -> None:
    assert list(differing(folder_of(tmp_path, 4), (1, 2))) == []


def double_or_die(number: int, cancelled: IsCancelled | None) -> int:
    if number == 7:
        SpoolFile().write(b"what is left behind")
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def told_dead(number: int, sentence: str) -> str:
    return f"{number}: {sentence.partition('.')[0]}"


@linux
@pytest.mark.parametrize("forks", [True, False])
def test_a_killed_worker_is_told_and_the_others_go_on(
    forks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = list(
        workers.run_in_workers(double_or_die, range(30), 2, told_dead, None, lambda number: number == 20, forks)
    )
    assert found.pop(7) == "7: The process that read the log exited unexpectedly (exit code -9)"
    assert found == [2 * number for number in range(30) if number != 7]
    assert (multiprocessing.active_children(), list(tmp_path.iterdir())) == ([], [])


@linux
def test_a_killed_worker_is_told_of_a_large_log(tmp_path: Path) -> None:
    dies = f"import os; {LARGE}; Source.limit_to = lambda *_: os.kill(os.getpid(), 9)"
    log = folder_of(tmp_path) / "00.jsonl"
    done = subprocess.run(
        command("check", str(log), "--jobs", "2", before=dies), capture_output=True, check=False, env=environment()
    )
    told = f"{log}  UNREADABLE  The process that read the log exited unexpectedly (exit code -9)."
    assert (done.returncode, done.stdout.startswith(told.encode()), done.stderr) == (2, True, b"")


@linux
def test_a_packed_large_log_is_what_it_is_without_other_processes(tmp_path: Path) -> None:
    log = folder_of(tmp_path, packing=True) / "01.jsonl.zst"
    for jobs in ("1", "2"):
        done = subprocess.run(
            command("check", "-q", str(log), "--jobs", jobs, before=LARGE),
            capture_output=True,
            check=False,
            env=environment(),
        )
        assert (done.returncode, done.stdout.startswith(f"{log}  HEALTHY  ".encode()), done.stderr) == (0, True, b"")


def test_a_large_log_is_read_in_parts_until_it_is_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORK_MIN_SIZE", "SPAWN_MIN_SIZE", "PART_SIZE"):
        monkeypatch.setattr(parallel_reader, name, 1)
    log = folder_of(tmp_path) / "00.jsonl"
    told: list[tuple[int, int]] = []
    with OpenLog.at(log, progress=lambda *done: told.append(done), jobs=2) as whole:
        assert whole.check().verdict.word == "broken"
    size, ends = len(BROKEN), accumulate(map(len, BROKEN.splitlines(keepends=True)))
    assert (told, multiprocessing.active_children()) == ([(end, size) for end in ends], [])
    with OpenLog.at(log, cancelled=lambda: True, jobs=2) as stopped, pytest.raises(Cancelled):
        stopped.check()
    assert multiprocessing.active_children() == []


def test_a_large_log_that_shrinks_meanwhile_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORK_MIN_SIZE", "SPAWN_MIN_SIZE", "PART_SIZE"):
        monkeypatch.setattr(parallel_reader, name, 1)
    log = folder_of(tmp_path) / "00.jsonl"
    with OpenLog.at(log, jobs=2) as shrunk:
        log.write_bytes(BROKEN.splitlines(keepends=True)[0])
        with pytest.raises(ChangedMeanwhile, match="changed while it was being read"):
            shrunk.check()


class NeverArrives:
    """Work that no other process can be given."""

    def __call__(self, number: int, cancelled: IsCancelled | None) -> int:
        return 2 * number

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (1,)


def all_doubled(numbers: range) -> list[int | str]:
    return list(workers.run_in_workers(double_or_die, numbers, 2, told_dead, None, lambda number: False, False))


def test_where_no_process_can_start_this_one_does_it() -> None:
    found = list(workers.run_in_workers(NeverArrives(), range(30), 2, told_dead, None, lambda number: False, False))
    assert found == [2 * number for number in range(30)]


def test_in_a_worker_of_another_program_it_does_it_itself() -> None:
    with multiprocessing.Pool(1) as pool:
        assert pool.apply(all_doubled, (range(10, 40),)) == [*range(20, 80, 2)]


@pytest.mark.parametrize("soon", [0.0, 600.0])
def test_cancelling_and_closing_leave_no_process(soon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "FORK_AFTER_SECONDS", soon)
    stopped: list[bool] = []
    with closing(many.map_in_order(double_or_die, [1] * 50, 2, told_dead, lambda: bool(stopped))) as answers:
        assert next(answers) == 2
        stopped.append(True)
        with pytest.raises(Cancelled):
            list(answers)
    with closing(many.map_in_order(double_or_die, [1] * 50, 2, told_dead)) as answers:
        assert next(answers) == 2
    assert multiprocessing.active_children() == []


def test_a_survey_says_of_each_log_what_it_comes_to(tmp_path: Path) -> None:
    logs = sorted(map(str, folder_of(tmp_path).iterdir()))
    words = [
        verdict.verdict for verdict in log_list.judge_logs([(path, "") for path in [*logs, str(tmp_path / "gone")]])
    ]
    assert words == [*("healthy" if number % 3 else "broken" for number in range(20)), "not-judged", "unreadable"]


def test_a_log_that_meets_a_fault_is_named_and_the_others_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = sorted(map(str, folder_of(tmp_path, 2).iterdir()))[:2]
    monkeypatch.setattr(log_list, "session_sentence", lambda session: 1 // (session.verdict.word == "healthy"))
    first, second = log_list.judge_logs([(path, "") for path in logs])
    assert first.sentence.startswith(
        f"{logs[0]}: The program failed because of an internal error (ZeroDivisionError in log_list.py"
    )
    assert second.verdict == "healthy"


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@linux
@pytest.mark.parametrize("parts", [False, True])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_who_stops_it_stops_its_workers(stop: signal.Signals, parts: bool, tmp_path: Path) -> None:
    asleep = (
        "import time; from inspector.cli.check_runner import LogChecker; LogChecker.check = lambda *_: time.sleep(600)"
    )
    if parts:
        asleep = f"import time; {LARGE}; Source.limit_to = lambda *_: time.sleep(600)"
    logs = folder_of(tmp_path)
    process = subprocess.Popen(
        command("check", str(logs / "00.jsonl" if parts else logs), "--jobs", "2", before=asleep),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while len(started := children(process.pid)) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)
    if stop == signal.SIGINT:  # as a terminal sends it
        os.killpg(process.pid, stop)
    else:
        process.send_signal(stop)
    told, said = process.communicate(timeout=60)
    assert (told, b"Traceback" in said) == (b"", False)
    if stop == signal.SIGINT:
        assert (process.returncode, b"Interrupted" in said) == (130, True)
    until = time.monotonic() + 10
    while any(map(runs, started)):
        assert time.monotonic() < until
        time.sleep(0.01)


def no_room() -> None:
    """Runs in the child: no file may grow beyond a few bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


@linux
def test_a_full_folder_for_temporary_files_is_told_for_each_log(tmp_path: Path) -> None:
    logs, room, told = folder_of(tmp_path, packing=True), tmp_path / "room", []
    room.mkdir()
    for jobs in ("1", "2"):
        done = subprocess.run(
            command("check", str(logs), "--jobs", jobs),
            capture_output=True,
            check=False,
            # Bytecode would be torn, too, and stay so.
            env=environment(TMPDIR=str(room), XDG_STATE_HOME=str(room / "state"), PYTHONDONTWRITEBYTECODE="1"),
            preexec_fn=no_room,
        )
        told.append((done.returncode, done.stdout, done.stderr))
    assert told[0] == told[1]
    assert (told[0][0], told[0][1].count(b"Free up some space there"), told[0][2]) == (2, 20, b"")
    assert [path for path in room.rglob("*") if path.is_file()] == []
