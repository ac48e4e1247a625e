"""What the file of an agent says of calls that were interrupted to ask the person.

Facts: strands-agents 1.62.0, interrupt.py. The results of the other calls of the message wait in
`pending_tool_execution`, in releases before it in `context`, and are sent when the person has answered. An interrupt
before a call has the id of the call in its own id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.formats.strands.reader import is_agent_file
from inspector.core.model.session import Log
from inspector.core.providers.message_fields import bedrock_parts_text
from inspector.core.storage.json_text import object_at, objects_at, parse_json, text_at, value_at
from inspector.core.translation import tr

_STATE = "/_internal_state/interrupt_state"
_RESULTS = (f"{_STATE}/pending_tool_execution/completed_tool_results", f"{_STATE}/context/tool_results")
_FILE, _ORIGIN = "agent.json", "interrupt_state"
_RAN = tr("The result of the call is in the agent's file.")
_WAITS = tr("According to the agent's file, the call is waiting for an answer.")


def is_waiting(agent: Any) -> bool:
    """Return whether an agent waits for an answer of the person."""
    return value_at(agent, f"{_STATE}/activated") is True


def evidence_in_agents(log: Log, calls: list[EvidenceQuery]) -> Iterator[tuple[int, EvidenceItem]]:
    """Yield what the files of agents show of calls, see `CallEvidenceSource.evidence_beside`."""
    for record, agent in _agents(log):
        ran = {text_at(result, "/toolUseId") for result in _results(agent)}
        asked = {part for interrupt in object_at(agent, f"{_STATE}/interrupts") for part in interrupt.split(":")}
        for number, call in enumerate(calls):
            if call.id in ran:
                yield number, EvidenceItem(EvidenceStrength.RAN, _RAN, record)
            elif call.id in asked:
                yield number, EvidenceItem(EvidenceStrength.MENTIONED, _WAITS, record)


def results_in_agents(log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
    """Yield the results in the files of agents, see `LostResultSource.lost_results_beside`."""
    for _, agent in _agents(log):
        for result in _results(agent):
            call_id = text_at(result, "/toolUseId")
            if call_id in calls:
                text = bedrock_parts_text(result.get("content"))
                failed = result.get("status") == "error"
                yield LostResult(call_id, text, _ORIGIN, failed, path=_FILE, content=result)


def _agents(log: Log) -> Iterator[tuple[int, Any]]:
    for sequence in log.sequences:
        if sequence.low < sequence.high and is_agent_file(log.columns, sequence.low):
            yield sequence.low, parse_json(log.raw(sequence.low))


def _results(row: Any) -> Iterator[dict[str, Any]]:
    for pointer in _RESULTS:
        yield from objects_at(row, pointer)
