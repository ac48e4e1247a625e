"""A parallel turn of which only some calls were answered.

What it finds: an unanswered call beside others of the same response of the model that have results. Single calls of
responses that followed one another are no such turn, however many of them are answered.
Why it hurts: the provider wants one result for each call; dropping the whole message, as some agents do, turns
the good results into orphans.
Example: u | a{Read,Bash} | r(Read)
Repairs: answer keeps everything; drop-call loses the call; drop-exchange also loses the results of its siblings;
cut-tail everything from this turn on.
"""

from collections.abc import Iterator

from inspector.core.scene import Hit, Scene

CODE = "D3"
SLUG = "partly-answered-turn"
STRATEGIES = ("answer", "drop-call", "drop-exchange", "cut-tail", "leave")
DEFAULT = "answer"


def find(scene: Scene) -> Iterator[Hit]:
    for tool in scene.unanswered.get(CODE, ()):
        text = f"The call to {scene.tool_name(tool)} has no result, while other calls of the same turn have theirs."
        yield scene.open_hit(CODE, tool, text)
