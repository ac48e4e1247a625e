"""What real agents sent when they resumed broken and healthy logs is what was predicted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.core.check.check import check
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.formats import format_of_log
from inspector.core.formats.base.agent_behavior import RequestBuilder
from inspector.core.resume_request.request import encode_resume_request
from tests.core.resume_request.requests import RECORDED, lines, same, spoken_in

REQUESTS = sorted((RECORDED / "requests").glob("*/*.json"))

# Outcomes that differ, and why that is not mended.
EXCEPTIONS = {
    "claude-code/text-fragment-gone-raw-slow-2.1.112": "the recording server refuses reasoning at the end of any "
    "message; the real one was measured to look at the last message alone",
}

# Requests that stand under the name of one log and are those of another: what they hold is nowhere in the first one.
# The program was run again with the four logs that they are named after, and sent what is predicted of them.
OF_ANOTHER_LOG = {
    "gemini-cli/del-response-0.61.0": "gemini-cli/moved-late-0.61.0.jsonl",
    "gemini-cli/healthy-0.61.0": "gemini-cli/torn-call-0.61.0.jsonl",
    "gemini-cli/killed-0.61.0": "gemini-cli/torn-last-0.61.0.jsonl",
    "gemini-cli/lost-result-0.61.0": "gemini-cli/orphan-0.61.0.jsonl",
}

pytestmark = pytest.mark.skipif(not REQUESTS, reason="the requests of real agents are not beside this checkout")


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_calls_and_results_are_sent_as_predicted(path: Path) -> None:
    recorded, name = json.loads(path.read_bytes()), f"{path.parent.name}/{path.stem}"
    with open_source(str(RECORDED / "logs" / OF_ANOTHER_LOG.get(name, recorded["log"]))) as source:
        log = open_log(source)
        if not isinstance(format_of_log(log), RequestBuilder):
            pytest.skip(f"what is sent on resume is not modelled for {log.format}")
        sending = encode_resume_request(check(log), version=recorded["version"])
    told = spoken_in(
        sending.wire, json.loads(b'{"%s":[%s]}' % (sending.messages_key.encode(), b",".join(sending.messages)))
    )
    sent = spoken_in(recorded["wire"], recorded)
    assert same(told, sent), "\n".join(["predicted:", *lines(told), "sent:", *lines(sent)])
    if name not in EXCEPTIONS:
        assert (sending.outcome.outcome == "refuses") == (200 not in recorded["status"])
