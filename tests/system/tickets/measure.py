"""How much of the truth of the tickets is found, by the command and from Python: recall, precision, false alarms."""

from pathlib import Path
from typing import NamedTuple

import inspector
from tests.support import product
from tests.system.tickets.generator import Ticket, planted


class Log(NamedTuple):
    """A log as the program reports it: its path, the codes of its errors, its verdict."""

    path: str
    errors: frozenset[str]
    verdict: str


def checked(ticket: Ticket) -> list[Log]:
    """The logs of a ticket as `check --format json` reports them."""
    return [
        Log(
            session["path"],
            frozenset(each["rule"] for each in session["findings"] if each["severity"] == "error"),
            session["verdict"],
        )
        for session in product.check(ticket.path).report["sessions"]
    ]


def judged(ticket: Ticket) -> list[Log]:
    """The logs of a ticket as `inspector.judge` reports them."""
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
    """How many planted causes were found, which were not, and the errors that name no cause of their log."""

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
