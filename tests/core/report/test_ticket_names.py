"""A report on tickets names them; a name that could be markup or a path is replaced by a number."""

from pathlib import Path

from inspector.core.engine.log_list import EngineWithoutOpenLog
from inspector.core.presentation.engine_results import ShareableReportOptions


def test_a_report_names_the_tickets(samples: Path) -> None:
    log = str(samples / "claude-code-broken.jsonl")
    tickets = ("ticket-4103", "ticket-4103", "票 7", "<b>", "../etc", "")
    text = EngineWithoutOpenLog().logs_report([(log, "", ticket) for ticket in tickets], ShareableReportOptions()).text
    named = [name for name in ("ticket-4103", "ticket-4103 (2)", "票 7", "log-4", "log-5", "log-6") if name in text]
    assert named == ["ticket-4103", "ticket-4103 (2)", "票 7", "log-4", "log-5", "log-6"]
    assert not [name for name in ("<b>", "etc", "log-1") if name in text]


def test_a_log_without_a_ticket_is_a_number(samples: Path) -> None:
    log = str(samples / "claude-code-broken.jsonl")
    assert (
        "claude-code-broken" not in EngineWithoutOpenLog().logs_report([(log, "", "")], ShareableReportOptions()).text
    )
