"""What the programs share that try the adapters of `resources/docs/frameworks.md`: a line of JSON in, a line out.

A line has the `url` of a provider, a `history`, and the `blocks` of code of the page, none to send the history as it
is. The line that is printed has the `answer` of the model, or the `error` that was raised. After a repair it also has
the `lost` ids, and how many messages were `kept` as they are.
"""

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

PROMPT = "Go on."
Answer = dict[str, Any]


def answer_each(answer: Callable[[Any, str, list[str]], Answer]) -> None:
    """Print what `answer` makes of the history, the URL and the code of each line of the standard input."""
    for line in sys.stdin:
        row = json.loads(line)
        try:
            told = answer(row["history"], row["url"], row["blocks"])
        except Exception as error:
            told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told))


def compared(before: list[Any], after: list[Any], ids: Callable[[Any], Iterable[str]]) -> Answer:
    """What a repair kept; `ids` yields those of a message."""
    lost = {id_ for one in before for id_ in ids(one)} - {id_ for one in after for id_ in ids(one)}
    return {"lost": sorted(lost), "kept": sum(any(one is each for each in after) for one in before)}
