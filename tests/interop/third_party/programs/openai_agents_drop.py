"""openai-agents: `drop_orphan_function_calls` drops nothing of a sound list of items."""

import copy
import json
import sys

from agents.run_internal.items import drop_orphan_function_calls

for line in sys.stdin:
    items = json.loads(line)
    left = drop_orphan_function_calls(copy.deepcopy(items), output_pruning_indexes=set(range(len(items))))
    print(json.dumps({"refused": left != items}))
