"""tessera: its repair of OpenAI chat messages, with its own defaults."""

import json
import sys
from typing import Any

import tessera

for line in sys.stdin:
    answer: dict[str, Any]
    try:
        answer = {"messages": list(tessera.repair(json.loads(line), adapter="openai").transcript)}
    except (tessera.IrreparableError, tessera.MalformedTranscriptError) as error:
        answer = {"refused": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
