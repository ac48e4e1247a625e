"""deepagents: PatchToolCallsMiddleware over the messages as LangChain takes them.

`base` are the messages as LangChain alone gives them back: what it changes is not the middleware's doing.
"""

import json
import sys

from deepagents.middleware.patch_tool_calls import PatchToolCallsMiddleware
from langchain_core.messages import RemoveMessage, convert_to_messages, convert_to_openai_messages

for line in sys.stdin:
    messages = convert_to_messages(json.loads(line))
    base = convert_to_openai_messages(messages)
    update = PatchToolCallsMiddleware().before_agent({"messages": messages}, None)
    if update is not None:
        messages = [message for message in update["messages"] if not isinstance(message, RemoveMessage)]
    print(json.dumps({"base": base, "messages": convert_to_openai_messages(messages)}))
