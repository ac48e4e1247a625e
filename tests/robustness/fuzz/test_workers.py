"""Trials in processes: the same as in one, and neither a death nor a hang of one ends the run."""

import os
import time
from multiprocessing.connection import Connection

import pytest

from tests.robustness.fuzz import workers
from tests.robustness.fuzz.workers import Done, carried_out, in_processes


def dies(seed: int, numbers: range, connection: Connection) -> None:
    """Does its first trial, and does not survive the second."""
    connection.send(Done(numbers[0], 0, (), []))
    os._exit(7)


def hangs(seed: int, numbers: range, connection: Connection) -> None:
    """As code does that never comes back to where a signal is seen to."""
    while True:
        time.sleep(60)


def failed(numbers: range) -> dict[int, list[tuple[str, str]]]:
    return {done.number: [each.group for each in done.failures] for done in in_processes(0, numbers, jobs=1)}


def answers(seed: int, numbers: range, connection: Connection) -> None:
    """Does all its trials, and asks nothing in them."""
    for number in numbers:
        connection.send(Done(number, 0, (), []))


def test_processes_do_the_same_trials_as_one() -> None:
    """These trials are of logs that no library judges that takes seconds to load."""
    alone = {number: carried_out(0, number) for number in (2, 3)}
    assert {done.number: done for done in in_processes(0, range(2, 4), jobs=2)} == alone
    assert [*in_processes(0, range(0), jobs=2)] == []


def test_a_process_that_dies_is_a_failure_of_its_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_work", dies)
    death = ("no_fault_of_its_own", "the process died with 7")
    assert failed(range(4)) == {0: [], 1: [death], 2: [], 3: [death]}


def test_a_process_that_gives_no_sign_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_work", hangs)
    monkeypatch.setattr(workers, "SILENCE", 0.1)
    stopped = ("no_hang", "where it cannot be stopped")
    assert failed(range(1)) == {0: [stopped]}


def test_another_process_goes_on_when_one_has_done_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_work", answers)
    monkeypatch.setattr(workers, "LIFE", 2)
    assert failed(range(3)) == {number: [] for number in range(3)}
