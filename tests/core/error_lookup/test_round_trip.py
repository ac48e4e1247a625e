"""What a profile says of a finding leads back to the record of the finding: samples here, real logs with the corpus."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.error_lookup.lookup import look_up_in_log
from inspector.core.errors import InspectorError
from inspector.core.providers.error_parser import parse_error_text
from tests.core.error_lookup.quotations import QUOTATIONS
from tests.support import paths
from tests.system.corpus.index import CORPUS, index, needs_corpus

SAMPLES = sorted(paths.SAMPLES.glob("*-broken.*"))


# What stands in a published log in the place of several ids names none of them.
REDACTED = "[trimmed for fixture]"


def refused(report: Report) -> Iterator[tuple[Finding, str]]:
    """The findings with what the session's own provider would answer."""
    for session in report.sessions:
        own = session.threads[0].context.profile.name if session.threads else ""
        for finding in session.findings:
            if finding.severity > Severity.INFO and finding.refused_by.get(own):
                yield finding, finding.refused_by[own]


# Made up: each of its messages lacks an id. The number of one is that of the next if the system prompt is counted.
AMBIGUOUS = "deepseek-harness/vshulcz--deja-vu__session.jsonl"


def assert_leads_back(path: Path) -> int:
    """Every error of the log's own provider leads to the record that it is about, and to no other if it says which.

    A number says which message: all records are meant that the agent puts together in it.
    """
    count = 0
    with open_source(str(path)) as source:
        report = check(open_log(source))
        for finding, text in refused(report):
            (log,) = look_up_in_log(f'API Error: 400 {{"error":{{"message":"{text}"}}}}', report).logs
            records = {place.place.record for place in log.location.places}
            assert finding.place.record in records, text
            says_which = parse_error_text(text).ids or parse_error_text(text).references
            if says_which and finding.call_id != REDACTED and not path.match(AMBIGUOUS):
                assert records - beside(finding.place.record, report) == {finding.place.record}, text
            count += 1
    return count


def beside(record: int, report: Report) -> set[int]:
    """The other records of the messages that a record is sent in, where one is sent as several."""
    sent = report.sessions[0].threads[0].context.number_messages_as_sent()
    return {each for message in sent if record in message for each in message} - {record}


def test_a_sample_leads_back() -> None:
    assert sum(map(assert_leads_back, SAMPLES)) > 40


@pytest.mark.parametrize("path", SAMPLES, ids=[path.stem for path in SAMPLES])
def test_any_error_against_any_log(path: Path) -> None:
    """An error of another session, provider, or shape is answered; never with an exception."""
    with open_source(str(path)) as source:
        report = check(open_log(source))
        for quotation in QUOTATIONS[::3]:
            assert len(look_up_in_log(quotation.text, report).logs) == 1


@pytest.mark.parametrize("path", index())
@pytest.mark.corpus
@needs_corpus[1]
def test_a_real_log_leads_back(path: str) -> None:
    try:
        assert_leads_back(CORPUS / path)
    except InspectorError:
        pytest.skip("no log that can be judged")
