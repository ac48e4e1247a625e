"""The reports of subagents, where the result of the call that started them is missing.

Facts: seen in @github/copilot 1.0.102: the log holds the messages of a subagent, each with the call that started it
(`parentToolCallId`). The result of that call is the text of its last answer, which is written right after the event
`subagent.completed`. Outputs of more than `large_output_threshold_bytes` (20,480) are cut.
"""

from collections.abc import Iterator, Mapping

from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.model.columnar_index import RecordMark, Role
from inspector.core.model.session import Log
from inspector.core.storage.json_text import list_at, parse_json, text_at
from inspector.core.translation import tr

PLACES = tr("in a subagent's messages, where the last text is the subagent's report")
_ORIGIN = tr("the subagent's messages")
_NOT_ENDED = tr("the log does not show that the subagent ended")
_LONG = tr("the call may have received a shortened report")
_LARGEST_OUTPUT = 20_480


def lost_results_of_subagents(log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the last texts of subagents; see `LostResultSource.lost_results_beside`."""
    columns, reports = log.columns, dict[str, LostResult]()
    if not columns.has_mark(RecordMark.SIDE_THREAD):
        return
    ended: set[str] = set()
    for record, role in enumerate(columns.roles):
        is_answer = role == Role.ASSISTANT and columns.marks[record] & RecordMark.SIDE_THREAD
        if not is_answer and role != Role.LINK:
            continue
        raw = log.raw(record)
        if not is_answer and b'"subagent.completed"' not in raw:
            continue
        event = parse_json(raw)
        if not is_answer:
            ended.add(text_at(event, "/data/toolCallId"))
            continue
        call = text_at(event, "/data/parentToolCallId")
        text = text_at(event, "/data/content")
        reports.pop(call, None)
        if call in calls and calls[call].record < record and text.strip() and not list_at(event, "/data/toolRequests"):
            doubt = _LONG if len(text.encode("utf-8", "surrogatepass")) > _LARGEST_OUTPUT else ""
            reports[call] = LostResult(call, text, _ORIGIN, doubt=doubt, record=record)
    for call, report in reports.items():
        yield (
            report if call in ended else LostResult(call, report.text, _ORIGIN, doubt=_NOT_ENDED, record=report.record)
        )
