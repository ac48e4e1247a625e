"""The page that goes with a plan: what to do where the log is, step by step. It says nothing about the content."""

from collections.abc import Iterator

from msgspec import Struct

from inspector.core.report.shareable.sentences import Translator

LOG_PLACEHOLDER, SESSION_PLACEHOLDER = "LOG", "SESSION"
"""The placeholders on the page for a path and an id, which it does not reveal."""
_SHELLS = {
    "linux": ("a terminal", "'"),
    "macos": ("the program Terminal", "'"),
    "windows": ("the command prompt (cmd)", '"'),
}


class RepairInstructions(Struct, frozen=True, kw_only=True):
    """The facts that the page states. `agent` is "" for a program of the person's own.

    `folder` is where the agent keeps its logs, "" where that is not known. `steps` are how the agent is resumed once it
    is closed, and `command` is the command of the step that runs one, with LOG and SESSION in them.
    """

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
        "The repair of your session was worked out from the log that you sent. The file plan.json beside this page "
        "holds no text of it: it names {count} records by number and by hash, and what becomes of each. It is carried "
        "out only where these records are what they were; what the log has gained since stays as it is.",
        count=instructions.records,
    )
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(_steps(instructions, words), 1))
    return f"{words('How to repair your session')}\n\n{intro}\n\n{steps}\n"


def _steps(told: RepairInstructions, words: Translator) -> Iterator[str]:
    terminal, quote = _SHELLS[told.system]
    agent = told.agent or words("the program that writes the log")
    where = words("{agent} keeps its logs below {folder}.", agent=agent, folder=told.folder) if told.folder else ""
    target = "--in-place" if told.in_place else f"-o {quote}REPAIRED{quote}"
    yield words("Close {agent} wherever it has this session open, so that it writes nothing meanwhile.", agent=agent)
    yield words("Have Transcript Inspector at hand, version {version} or newer.", version=told.version)
    yield words("Unpack this archive, and open {terminal} in its folder.", terminal=words(terminal))
    command = f"transcript-inspector repair --plan plan.json {target} {quote}{LOG_PLACEHOLDER}{quote}"
    yield words("Run this, with the path of the log that you sent in the place of LOG:") + _lines(
        f"    {command}", where
    )
    if not told.in_place:
        yield words("In the place of REPAIRED stands the name for the repaired log; the log itself stays as it is.")
    yield words(
        "Read what it says: where the backup is, and how to go on. If it says that nothing was written, nothing was "
        "changed; then send us its sentence, or the log as it is now."
    )
    for step in told.steps:
        yield words(step, command=told.command)
    if any(SESSION_PLACEHOLDER in step for step in (*told.steps, told.command)):
        yield words("In the place of SESSION stands the id that Transcript Inspector shows in its last lines.")
    if told.in_place:
        yield words(
            "To undo it, close {agent} and run this, with the path of the backup in the place of BACKUP:", agent=agent
        ) + _lines(f"    transcript-inspector restore {quote}BACKUP{quote}")


def _lines(*lines: str) -> str:
    return "".join(f"\n   {line}" for line in lines if line)
