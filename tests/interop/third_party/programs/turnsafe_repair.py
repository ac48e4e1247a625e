"""turnsafe: its repair of OpenAI chat messages, with its own defaults."""

import json
import sys

import turnsafe

for line in sys.stdin:
    try:
        answer = {"messages": turnsafe.repair(json.loads(line), "openai")}
    except (turnsafe.TurnsafeError, ValueError) as error:
        answer = {"refused": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
