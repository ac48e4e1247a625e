"""What the person does after a save, for the program to go on with the log."""

from msgspec import Struct

GO_THERE = "Go to the project's folder."
"""The step before a command that is run there; who knows the folder names it."""
RUN = "Run: {command}"


class NextSteps(Struct, frozen=True):
    """What the person does, in order: sentences, GO_THERE among them, and RUN, which stands for `command`.

    `command` is the one to copy ("" when there is none). `close` comes before all others, and asks to close what still
    holds the log ("" where nothing does).
    """

    steps: tuple[str, ...]
    command: str = ""
    close: str = ""

    @property
    def all_steps(self) -> tuple[str, ...]:
        """All of them as they are read."""
        first = (self.close,) if self.close else ()
        return (*first, *(RUN.format(command=self.command) if step == RUN else step for step in self.steps))


def lying_at(path: str, held: str = "session") -> str:
    """Where what was repaired lies."""
    return f"The repaired {held} lies at {path}."


def resuming(program: str, command: str, path: str, new: bool, held: str = "session") -> NextSteps:
    """The steps to a session that `command` resumes in the folder of its project."""
    if new:
        return NextSteps((lying_at(path, held), GO_THERE, RUN), command)
    return NextSteps((GO_THERE, RUN), command, f"Close {program} if it still has this {held} open.")
