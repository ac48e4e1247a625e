"""Wrappers are seen through: what is found in forty tickets, by the command, from Python, and in the window's list."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import inspector
from inspector.core.discovery.log_entry import UnreadFile
from inspector.core.engine.log_list import LogListEngine
from inspector.core.report.shareable.model import REPORT_FORMATS
from tests.support import product
from tests.system.tickets.generator import Ticket, is_available, planted, write_tickets

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not is_available(), reason="no logs of real agents beside the checkout, and no corpus"),
]
LEAST_FOUND = 33
TROUBLE = ("broken", "heals-itself", "unexplained")


class Log(NamedTuple):
    """A log as the program reports it: its path, the codes of its errors, its verdict."""

    path: str
    errors: frozenset[str]
    verdict: str


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> list[Ticket]:
    return write_tickets(tmp_path_factory.mktemp("desk"))


def checked(ticket: Ticket) -> list[Log]:
    sessions = product.check(ticket.path).report["sessions"]
    return [
        Log(
            session["path"],
            frozenset(each["rule"] for each in session["findings"] if each["severity"] == "error"),
            session["verdict"],
        )
        for session in sessions
    ]


def judged(ticket: Ticket) -> list[Log]:
    result, logs = inspector.judge(ticket.path), []
    paths = {file.log: f"{file.source}/{file.member}" for file in result.files}
    for session in result.sessions:
        rules = frozenset(
            each.rule
            for each in result.findings
            if (each.log, each.session, each.severity) == (session.log, session.session, "error")
        )
        logs.append(Log(paths[session.log], rules, session.verdict))
    return logs


class Tally(NamedTuple):
    found: int
    missed: list[str]
    false: list[str]

    def __str__(self) -> str:
        recall = self.found / (self.found + len(self.missed))
        precision = self.found / (self.found + len(self.false)) if self.found else 0.0
        missed, false = ", ".join(self.missed) or "none", ", ".join(self.false) or "none"
        return f"recall {recall:.2f}, precision {precision:.2f}; missed: {missed}; false alarms: {false}"


def tally(tickets: list[Ticket], reported: dict[Path, list[Log]]) -> Tally:
    """Compare what was reported with the truth. An error is a false alarm unless it names the cause of its log."""
    missed = [
        f"{ticket.path.name} {log}".strip()
        for ticket, log, rules in planted(tickets)
        if not any(log in each.path and each.errors & set(rules.split()) for each in reported[ticket.path])
    ]
    false = []
    for ticket in tickets:
        for each in reported[ticket.path]:
            true = next((rules for log, rules in ticket.truth.items() if log in each.path), "")
            false += [f"{ticket.path.name} {rule}" for rule in sorted(each.errors - set(true.split()))]
    return Tally(len(planted(tickets)) - len(missed), missed, false)


@pytest.mark.parametrize("ask", [checked, judged])
def test_causes_are_found_in_every_wrapper_and_nothing_else_is(
    ask: Callable[[Ticket], list[Log]], tickets: list[Ticket]
) -> None:
    found = tally(tickets, {ticket.path: ask(ticket) for ticket in tickets})
    print(f"{ask.__name__}: {found}")
    assert (len(tickets), len(planted(tickets))) == (40, 35)
    assert found.found >= LEAST_FOUND, str(found)
    assert found.false == [], str(found)


def test_the_answer_says_what_a_log_was_read_from(tickets: list[Ticket]) -> None:
    wrapped = [ticket for ticket in tickets if ticket.says and ticket.truth]
    assert len(wrapped) >= 18
    for ticket in wrapped:
        sessions = product.check(ticket.path).report["sessions"]
        assert [ticket.says in session.get("read_from", "") for session in sessions] == [True] * len(sessions)
        assert all(ticket.says in file.read_from for file in inspector.judge(ticket.path).files)


@pytest.mark.parametrize("form", [*REPORT_FORMATS, "ndjson"])
def test_every_output_says_why_a_ticket_cannot_be_read(form: str, tickets: list[Ticket]) -> None:
    unread = [ticket for ticket in tickets if not ticket.truth]
    assert len(unread) == 3
    for ticket in unread:
        assert ticket.says in product.run("check", str(ticket.path), "--format", form).output


def test_the_list_of_the_window_has_each_log_and_each_ticket_that_cannot_be_read(tickets: list[Ticket]) -> None:
    engine, others = LogListEngine(), list[UnreadFile]()
    entries = list(engine.list_logs([str(ticket.path) for ticket in tickets], others))
    verdicts = list(engine.check_logs([(entry.path, entry.format) for entry in entries]))

    def words(ticket: Ticket, log: str) -> list[str]:
        return [
            verdict.verdict
            for entry, verdict in zip(entries, verdicts, strict=True)
            if entry.path.startswith(str(ticket.path)) and log in entry.path
        ]

    for ticket in tickets:
        for log, rules in ticket.truth.items():
            assert [word in TROUBLE for word in words(ticket, log)] == [bool(rules)], ticket.path.name
        if not ticket.truth:
            (reason,) = [each.reason for each in others if each.path.startswith(str(ticket.path))]
            assert ticket.says in reason
