"""A repair of a real agent's log is what that agent sends: every result that was recorded, and ours for the others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.formats import format_of_log
from inspector.core.formats.base.agent_behavior import RequestBuilder
from inspector.core.model.views import BlockKind
from inspector.core.repair.choices import Choices
from inspector.core.repair.plan import plan_repair
from inspector.core.resume_request.request import (
    ANSWERED_BY_AGENT,
    SENT_UNCHANGED,
    EncodedRequest,
    encode_resume_request,
)
from tests.core.resume_request.requests import RECORDED

LOGS = sorted(path for path in (RECORDED / "logs").glob("*/*") if path.is_file())

pytestmark = pytest.mark.skipif(not LOGS, reason="the logs of real agents are not beside this checkout")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_agent_sends_what_is_planned(path: Path) -> None:
    with open_source(str(path)) as source:
        log = open_log(source)
        if not isinstance(format_of_log(log), RequestBuilder):
            pytest.skip(f"what is sent on resume is not modelled for {log.format}")
        report = check(log)
        planned = plan_repair(report, Choices("canonical"))
        assert planned.verified, planned.reason
        for number in range(len(report.sessions)):
            sending = encode_resume_request(report, number, planned)
            said = words(" ".join(text for message in sending.messages for text in texts(json.loads(message))))
            sent = {
                mark.id
                for marks in sending.marks
                for mark in marks
                if (mark.mark, mark.kind) == (SENT_UNCHANGED, "result")
            }
            real = list(real_results(report, number))
            # Cline sends its lists of results as they are stored, where a person reads what they say.
            assert [text for call_id, text in real if text not in said and call_id not in sent] == []
            assert (sending.dropped, marked(sending, ANSWERED_BY_AGENT)) == ([], [])
            assert sending.outcome.outcome in ("as-is", "mends")


def real_results(report: Report, number: int) -> Iterator[tuple[str, str]]:
    """The results on the active path that are no program's stand-in: of which call, and what they say."""
    context = report.sessions[number].threads[0].context
    for tool, row in enumerate(context.pairing.block_rows):
        if context.columns.block_kinds[row] == BlockKind.RESULT and not context.is_placeholder(tool):
            yield context.call_id(tool), words(context.result_text(tool))


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    members = [inner for key, inner in value.items() if key != "type"] if isinstance(value, dict) else value
    for inner in members if isinstance(members, list) else ():
        yield from texts(inner)


def words(text: str) -> str:
    return " ".join(text.split())


def marked(sending: EncodedRequest, how: str) -> list[str]:
    return [mark.id for marks in sending.marks for mark in marks if mark.mark == how]
