"""The page that goes with a plan: what was wrong, what the repair does, and what to do where the log is, step by step.

It says nothing about the content.
"""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from inspector.core.translation import Translator, tr

LOG_PLACEHOLDER, SESSION_PLACEHOLDER = "LOG", "SESSION"
"""The placeholders on the page for a path and an id, which it does not reveal."""
_SHELLS = {
    "linux": (tr("a terminal"), "'"),
    "macos": (tr("the Terminal app"), "'"),
    "windows": (tr("the command prompt (cmd)"), '"'),
}
# What an edit does, by its action.
_CHANGES = {
    "insert": tr("Records added: {number:,}"),
    "replace": tr("Records changed: {number:,}"),
    "move": tr("Records moved: {number:,}"),
    "delete": tr("Records removed: {number:,}"),
}


class RepairInstructions(Struct, frozen=True, kw_only=True):
    """The facts that the page states. `agent` is "" for a program of the person's own.

    `problems` are the titles of the rules that the repair answers, and how often it does so. `changes` says how many
    records have which action of an edit.
    `folder` is where the agent keeps its logs, "" where that is not known. `steps` are how the agent is resumed once it
    is closed, and `command` is the command of the step that runs one, with LOG and SESSION in them.
    """

    problems: Mapping[str, int]
    changes: Mapping[str, int]
    agent: str
    version: str
    system: str
    folder: str
    records: int
    in_place: bool
    steps: tuple[str, ...]
    command: str


def instructions_page(instructions: RepairInstructions, words: Translator) -> str:
    """Return the page, in the language of `words`."""
    intro = words(
        "This repair plan is based on the log that you sent. The file plan.json next to this page "
        "contains no log content. It lists the numbers and hashes of {count} records and the change to "
        "each record. The repair is made only if these records have not changed. Records that were added "
        "after you sent the log stay unchanged.",
        count=instructions.records,
    )
    problems = (f"{words(title)} ({number:,})" for title, number in instructions.problems.items())
    changes = (
        words(text, number=number)
        for action, text in _CHANGES.items()
        if (number := instructions.changes.get(action, 0))
    )
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(_steps(instructions, words), 1))
    parts = (
        words("How to repair your session"),
        _listed(words("What was wrong:"), problems),
        _listed(words("What the repair does:"), changes),
        intro,
        steps,
    )
    return "\n\n".join(parts) + "\n"


def _listed(head: str, items: Iterable[str]) -> str:
    return "\n".join((head, *(f"* {item}" for item in items)))


def _steps(told: RepairInstructions, words: Translator) -> Iterator[str]:
    terminal, quote = _SHELLS[told.system]
    agent = told.agent or words("the program that writes the log")
    where = words("{agent} stores its logs in {folder}.", agent=agent, folder=told.folder) if told.folder else ""
    target = "--in-place" if told.in_place else f"-o {quote}REPAIRED{quote}"
    yield words(
        "Close this session in every {agent} window or terminal, so that nothing is written during the repair.",
        agent=agent,
    )
    yield words(
        "Install Transcript Inspector {version} or later, which requires Python 3.11 or later. To "
        "install it with pipx, run `pipx install PATH`, where PATH is the path of the program's wheel or "
        "of a local clone of its repository.",
        version=told.version,
    )
    yield words("Extract this archive, and open {terminal} in the extracted folder.", terminal=words(terminal))
    command = f"transcript-inspector repair --plan plan.json {target} {quote}{LOG_PLACEHOLDER}{quote}"
    yield words("Run this command, replacing LOG with the path of the log that you sent:") + _lines(
        f"    {command}", where
    )
    if not told.in_place:
        yield words("Replace REPAIRED with a file name for the repaired log. The original log does not change.")
    yield words(
        "The output shows where the backup is and how to continue. If it says that nothing was written, the "
        "log is unchanged. In that case, send us the message or the current log."
    )
    for step in told.steps:
        yield words(step, command=told.command)
    if any(SESSION_PLACEHOLDER in step for step in (*told.steps, told.command)):
        yield words("Replace SESSION with the id in the last lines of Transcript Inspector's output.")
    if told.in_place:
        yield words(
            "To undo the repair, close {agent} and run this command, replacing BACKUP with the path of the backup:",
            agent=agent,
        ) + _lines(f"    transcript-inspector restore {quote}BACKUP{quote}")


def _lines(*lines: str) -> str:
    return "".join(f"\n   {line}" for line in lines if line)
