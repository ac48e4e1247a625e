"""pydantic-ai: a sound history is its own repair; neighbouring requests, which it joins, are joined before."""

import json
import sys

from pydantic_ai.messages import ModelMessagesTypeAdapter, repair_messages

for line in sys.stdin:
    messages = ModelMessagesTypeAdapter.validate_json(line)
    print(json.dumps({"refused": repair_messages(messages) != messages}))
