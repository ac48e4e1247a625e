"""LiteLLM: what its sanitizer makes of messages; it leaves sound ones alone."""

import copy
import json
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm
from litellm.litellm_core_utils.prompt_templates.factory import sanitize_messages_for_tool_calling

litellm.modify_params = True

for line in sys.stdin:
    messages = json.loads(line)
    made = sanitize_messages_for_tool_calling(copy.deepcopy(messages))
    print(json.dumps({"refused": made != messages, "messages": made}, default=str))
