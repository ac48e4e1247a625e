"""What the three extensions do on resume with what is found, and how the person resumes.

Facts: RooCodeInc/Roo-Code `Task.resumeTaskFromHistory` (only the last exchange is healed), `validateToolResultIds.ts`
(by position, on the message that is being added), `readApiMessages` (no array: an empty history); Kilo Code 4 and 5 are
forks of it. cline/cline 3.89.2, the last of the classic ones: `ContextManager.ensureToolResultsFollowToolUse` (every
request: the next message gets "result missing" for what it lacks, and loses what fits no call; a second result of a
call alone stays), and of the current one `apps/vscode/src/sdk/initial-message-sanitizer.ts` (imports a classic task,
looking at all user messages that follow; results of other calls stay). Which of them opens a task is not in its log.
"""

from inspector.core.formats.bases.next_steps import NextSteps
from inspector.core.formats.bases.on_resume import OnResume
from inspector.core.index.session import Session

CLINE, ROO, KILO = "Cline", "Roo Code", "Kilo Code"
ANY = "Cline, Roo Code or Kilo Code"
_IDS = {CLINE: "cline", ROO: "roo-code", KILO: "kilo-code"}

_ROO_MENDS = frozenset({"D1", "C2"})
_ROO_LAST_ONLY = frozenset({"D3", "R1", "R5", "R6", "R7", "R8"})
_CLINE_MENDS = frozenset({"D1", "D2", "D3", "D5", "C1", "C2", "R9"})
_CLINE_ONE_OF_THEM = frozenset({"D4", "R3", "R5", "R6", "R7", "R8", "R10"})
# What mending in memory gives up, by rule.
_LOST = {
    "C2": "results whose calls were cut off",
    "R5": "all but one of several results",
    "R7": "all but one of several results",
    "R8": "results that name another call",
}


def on_resume(session: Session, rules: set[str]) -> OnResume:
    """What the extension that wrote the task does with it."""
    agent, label = _IDS.get(session.agent, "unknown"), session.agent or ANY
    if any(rule.startswith("F") for rule in rules):
        return OnResume(agent, "refuses", ("the whole history: a file that is no JSON counts as none",), label)
    if not rules:
        return OnResume(agent, "as-is", (), label)
    mends, perhaps = (_CLINE_MENDS, _CLINE_ONE_OF_THEM) if agent == "cline" else (_ROO_MENDS, _ROO_LAST_ONLY)
    if agent == "unknown":
        mends, perhaps = _CLINE_MENDS & _ROO_MENDS, _CLINE_MENDS | _ROO_LAST_ONLY
    loses = tuple(sorted({_LOST[rule] for rule in rules if rule in _LOST}))
    if rules <= mends:
        return OnResume(agent, "mends", loses, label)
    return OnResume(agent, "unknown" if rules <= mends | perhaps else "refuses", (), label)


def steps(path: str, agent: str) -> NextSteps:
    """What the person does after a save in place."""
    close = (
        f"Close the task in {agent or ANY}, or the whole editor, before you save: it writes the open task back whole."
    )
    others = (
        f"The repaired task lies at {path}.",
        "Open the editor again, and the task from the extension's history.",
        "If it was copied to another machine: the list of tasks is kept beside the folder of tasks or in the editor's "
        "database, and a task that is not in it is not shown.",
    )
    return NextSteps(others, close=close)
