"""inspect_ai: the padding that makes Anthropic's token counting accept messages adds nothing to sound ones."""

import copy
import json
import sys

from anthropic.types import MessageParam
from inspect_ai.model._providers.anthropic import pad_tool_messages_for_token_counting
from pydantic import TypeAdapter

SHAPE = TypeAdapter(list[MessageParam])

for line in sys.stdin:
    messages = json.loads(line)
    for message in SHAPE.validate_python(copy.deepcopy(messages)):
        list(message["content"])  # it is validated when it is read
    print(json.dumps({"refused": pad_tool_messages_for_token_counting(copy.deepcopy(messages)) != messages}))
