"""Strands: `_fix_broken_tool_use` leaves a sound history alone, and botocore knows the shape of its messages."""

import copy
import json
import sys

import botocore.session
from botocore.validate import ParamValidator
from strands.session.repository_session_manager import RepositorySessionManager

service = botocore.session.get_session().get_service_model("bedrock-runtime")
shape = service.operation_model("Converse").input_shape

for line in sys.stdin:
    messages = json.loads(line)
    odd = ParamValidator().validate({"modelId": "m", "messages": messages}, shape).has_errors()
    fixed = RepositorySessionManager._fix_broken_tool_use(None, copy.deepcopy(messages))
    print(json.dumps({"refused": odd or fixed != messages}))
