"""Wrappers are seen through: what is found in forty tickets, by the command, from Python, and in the window's list."""

from collections.abc import Callable

import pytest

import inspector
from inspector.core.discovery.log_entry import UnreadFile
from inspector.core.engine.log_list import EngineWithoutOpenLog
from inspector.core.report.shareable.model import REPORT_FORMATS
from inspector.core.storage.wrappers import unwrap
from tests.support import product
from tests.system.tickets.generator import (
    AGENT_LOGS,
    Ticket,
    fenced,
    folded,
    is_available,
    planted,
    quoted,
    write_tickets,
)
from tests.system.tickets.measure import Log, checked, judged, tally

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not is_available(), reason="no logs of real agents beside the checkout, and no corpus"),
]
LEAST_FOUND = 33
TROUBLE = ("broken", "heals-itself", "unexplained")


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> list[Ticket]:
    return write_tickets(tmp_path_factory.mktemp("desk"))


@pytest.mark.parametrize("ask", [checked, judged])
def test_causes_are_found_in_every_wrapper_and_nothing_else_is(
    ask: Callable[[Ticket], list[Log]], tickets: list[Ticket]
) -> None:
    found = tally(tickets, {ticket.path: ask(ticket) for ticket in tickets})
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
    engine, others = EngineWithoutOpenLog(), list[UnreadFile]()
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


WRAPS: dict[str, Callable[[bytes], bytes]] = {
    "quoted": quoted,
    "fenced": fenced,
    "narrow": lambda log: folded(log, 80),
    "wide": lambda log: folded(log, 132, "$ cat log.jsonl"),
    "trimmed": lambda log: folded(log, 100, trimmed=True),
}


@pytest.mark.parametrize("name", WRAPS)
def test_the_lines_of_any_log_come_back(name: str) -> None:
    logs = [path for path in sorted(AGENT_LOGS.glob("*/*.jsonl")) if path.stat().st_size < 200_000][::5]
    assert len(logs) > 20
    for path in logs:
        lines = [line.strip() for line in path.read_bytes().splitlines()]
        content = unwrap(WRAPS[name](b"\n".join(lines) + b"\n"), path.name)
        assert content is not None, path.name
        assert [line.strip() for line in content.text.split(b"\n") if line.strip()] == lines, path.name
