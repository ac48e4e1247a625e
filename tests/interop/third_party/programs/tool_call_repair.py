"""tool-call-repair: its repair of OpenAI chat messages, answering what has no result."""

import json
import sys

import toolrepair

for line in sys.stdin:
    try:
        answer = {"messages": toolrepair.repair(json.loads(line), format="openai", strategy="synthesize")}
    except toolrepair.ToolRepairError as error:
        answer = {"refused": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
