"""Everything the core raises on purpose. Each carries one sentence for the person: what, where, what to do next.

InspectorError
├── UnreadableLog      the bytes cannot be had, or are no log at all
│   ├── NotThisFormat  the whole log holds nothing of the format that its head and tail seemed to be
│   └── TooDeep        a value in it is nested deeper than it can be read
├── NotJudged          no format claims the log, or two claim it alike
├── ReadOnlyFormat     the format cannot be written back, or not in the way that was asked
├── NotVerified        no plan was found whose outcome the profile accepts
├── ChangedMeanwhile   the log on disk is no longer the one that was read
├── CannotWrite        the target cannot be written
│   └── HalfDone       some files of a folder are changed, others are not; the backup holds the originals
├── ProgramFault       the program itself went wrong over this log
├── UnknownName        a preset, strategy, profile, rule or format that does not exist
└── Cancelled          the person cancelled
"""

from __future__ import annotations


class InspectorError(Exception):
    """Base of all. `str(error)` is the sentence."""


class UnreadableLog(InspectorError):
    """The bytes cannot be had, or are no log at all."""

    @classmethod
    def from_os_error(cls, error: OSError, path: object) -> UnreadableLog:
        """What the system says of a path."""
        return cls(f"{path} cannot be read: {error.strerror or error}.")


class WrongFormat(UnreadableLog):
    """Read whole, the log holds nothing of the format that it was taken for."""


class TooDeep(UnreadableLog, ValueError):
    """A value is nested deeper than it can be read."""

    def __init__(self, sentence: str = "A value in the log is nested too deeply to be read. The log is as it was."):
        super().__init__(sentence)


class NotJudged(InspectorError):
    """No format claims the log with enough certainty."""


class NoLogsFound(NotJudged):
    """Of the files in a folder or an archive none can be read as a log."""


class ReadOnlyFormat(InspectorError):
    """The format cannot be written back in the way that was asked."""


class NotVerified(InspectorError):
    """No plan was found whose outcome verifies; nothing was written."""


class ChangedMeanwhile(InspectorError):
    """The log on disk is no longer the one that was read."""

    @classmethod
    def for_path(cls, path: object) -> ChangedMeanwhile:
        return cls(f"{path} has changed since it was read. Close the agent, then open it again.")


class CannotWrite(InspectorError):
    """The target cannot be written."""

    @classmethod
    def from_error(cls, error: Exception, path: object, stays: str = "") -> CannotWrite:
        """What the system, or the database, says of a path; `stays` is a sentence on what is left as it was."""
        why = error.strerror if isinstance(error, OSError) else ""
        return cls(f"{path} could not be written: {why or error}.{stays and f' {stays}'}")


class PartlyWritten(CannotWrite):
    """Some files of a folder are changed and others are not; the backup that it names holds the originals."""


class ProgramFault(InspectorError):
    """The program itself went wrong over a log; the fault is the cause of this error."""


class UnknownName(InspectorError):
    """A name that is not in its table."""

    @classmethod
    def for_session(cls, name: str, last: int) -> UnknownName:
        return cls(f"There is no session {name} in this log; give an id, or a number from 0 to {last}.")


class Cancelled(InspectorError):
    """The person cancelled."""


def error_location(error: BaseException, within: str = "") -> str:
    """What kind of error it is, and the line that raised it: the last one of the package `within`, where there is one.

    Nothing of what was worked on is in it.
    """
    # For what hardly ever happens, every start would pay.
    import traceback  # noqa: PLC0415
    from pathlib import PurePath  # noqa: PLC0415

    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if within in PurePath(frame.filename).parts] or frames
    place = f" in {PurePath(own[-1].filename).name}, line {own[-1].lineno}" if own else ""
    return f"{type(error).__name__}{place}"
