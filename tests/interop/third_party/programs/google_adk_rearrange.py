"""google-adk: nothing of a sound history is an orphan, and no response has to be moved."""

import json
import sys
from typing import Any

from google.adk.events import Event
from google.adk.flows.llm_flows.tools import _rearranger
from google.genai import types


def kinds(events: list[Any]) -> list[Any]:
    found = []
    for event in events:
        parts = event.content.parts
        found.append((event.content.role, [(bool(p.function_call), bool(p.function_response), p.text) for p in parts]))
    return found


for line in sys.stdin:
    contents = [types.Content.model_validate(content) for content in json.loads(line)]
    events = [
        Event(author="agent" if content.role == "model" else "user", content=content, invocation_id="i")
        for content in contents
    ]
    left = events
    try:
        for step in (
            _rearranger.drop_orphaned_function_responses,
            _rearranger.drop_orphaned_function_calls,
            _rearranger.rearrange_events_for_async_function_responses_in_history,
        ):
            left = step(left)
        refused = kinds(left) != kinds(events)
    except ValueError:
        refused = True
    print(json.dumps({"refused": refused}))
