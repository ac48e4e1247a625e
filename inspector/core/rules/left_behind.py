"""Messages that a resume leaves behind.

What it finds: messages beside the path that the agent loads: branches that hang off an earlier message (several heads),
and a beginning of their own (several roots). A person who goes back leaves such branches on purpose, so they are only
noted. An error is what a program has torn off: a turn of its own ("Continue from where you left off.") that it hung off
an older message than the newest one.
Why it hurts: what was said in between is in the file, and neither the agent nor the model sees it again; nothing tells.
Example: #1 | #2 on #1 | #3 on #2 | "Continue from where you left off." on #1
Repairs: relink (the turn hangs off the newest message before it; nothing is lost), leave.
"""

from inspector.core.known_texts.amounts import amount
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.left_behind import branches

CODE = "G3"
ROW = Row("left-behind", Stage.LINKS, ("relink turn", "leave"), loses_records=True, ends_pass=True)


def find(scene: Scene) -> Hits:
    if scene.thread is not scene.session.main or not scene.format.links.parent:
        return
    left = branches(scene)
    for branch in left:
        if branch.torn_off_by >= 0:
            told = f"a resume leaves the {amount(branch.messages, 'message')} before it behind"
            text = f"This turn hangs off an older message than the newest one: {told}."
            yield Hit(rule=CODE, message=text, record=branch.torn_off_by)
    others = [branch for branch in left if branch.torn_off_by < 0]
    if others:
        count = sum(branch.messages for branch in others)
        roots = sum(branch.is_root for branch in others)
        begin = f", {roots} of them with a beginning of its own" if roots else ""
        what = f"{amount(count, 'message')} in {amount(len(others), 'branch', 'es')}{begin}"
        text = f"{what} {'is' if count == 1 else 'are'} not on the path that a resume loads."
        yield Hit(
            rule=CODE,
            message=text,
            record=others[0].first,
            severity=Severity.INFO,
            strategies=("leave",),
            default="leave",
        )
