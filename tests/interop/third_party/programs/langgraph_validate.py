"""LangGraph: `_validate_chat_history` raises when a call has no result anywhere."""

import json
import sys

from langchain_core.messages import messages_from_dict
from langgraph.prebuilt.chat_agent_executor import _validate_chat_history

for line in sys.stdin:
    try:
        _validate_chat_history(messages_from_dict(json.loads(line)))
        refused = False
    except ValueError:
        refused = True
    print(json.dumps({"refused": refused}))
