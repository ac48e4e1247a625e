"""A compaction that cut through an exchange.

What it finds: a compaction recorded while a call was open: the agent forgets then that it waits for a result, so that
it takes none that comes later, and messages that waited behind the call are gone. Or one that keeps the newest
messages and counted so that it kept a result without its call.
Why it hurts: the call stays in the history without its result, or the result without its call; the agent itself does
not mend it.
Example: u | a{A} | [compaction] | r(A=x)
Repairs: move (the result before the compaction, or the cut before the call; nothing is lost), answer (a placeholder
before the compaction), keep-as-note, drop.
"""

from inspector.core.index.session import CutOff
from inspector.core.index.views import UNNAMED
from inspector.core.known_texts.amounts import amount
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.compactions import cut_off
from inspector.core.scene.finding import Severity

CODE = "C3"
ROW = Row(
    "cut-exchange",
    Stage.CUT_EXCHANGES,
    ("move cut-off", "answer cut-off", "keep-as-note", "drop", "leave"),
    default="answer",
    ends_pass=True,
)


def find(scene: Scene) -> Hits:
    for tool, cut in cut_off(scene).items():
        name = scene.columns.names[cut.row] or UNNAMED
        text = f"A compaction was recorded while the call to {name} was open{_outcome(cut)}."
        if cut.at >= 0:
            text = f"A compaction cut between the call to {name} and its result, which is kept without the call."
        strategies = ("move", "keep-as-note", "drop", "leave") if cut.result >= 0 else ("answer", "leave")
        if tool >= 0:
            yield scene.hit(CODE, tool, text, default=strategies[0], strategies=strategies)
            continue
        # The call went whole into the summary: that matters only when something else went with it.
        severity = Severity.ERROR if cut.lost else Severity.INFO
        yield Hit(
            rule=CODE,
            message=text,
            record=cut.call,
            ordinal=cut.row - scene.columns.first[cut.call],
            severity=severity,
            default=strategies[0],
            strategies=strategies,
        )


def _outcome(cut: CutOff) -> str:
    if cut.result >= 0:
        return ": the agent does not take the result that came after it"
    gone = ": nothing answers it any more" if cut.kept else ", and took it along"
    waited = f"{amount(cut.lost, 'message')} that waited behind it {'is' if cut.lost == 1 else 'are'} lost"
    return f"{gone}, and {waited}" if cut.lost else gone
