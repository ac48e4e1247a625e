"""All errors that the core raises on purpose, each with a sentence that says what happened and what to do next.

InspectorError
├── UnreadableLog      the bytes cannot be read, or are not a log
│   ├── Inaccessible   the operating system cannot read it: access is denied, or it was removed
│   ├── DamagedFile    an archive or compressed data is damaged
│   │   └── CutOffFile its end is missing
│   ├── WrongFormat    the log holds nothing of the format that its head and tail seemed to be
│   ├── NotDivisible   the log cannot be read in parts, but as a whole
│   └── TooDeep        a value is nested too deeply to be read
├── NotJudged          no format claims the log, or two claim it with the same certainty
│   └── NoLogsFound    no file in a folder or an archive is a readable log; `reason` says why, if it is known
├── ReadOnlyFormat     the format cannot be written, or not in the requested way
├── NotVerified        no plan was found whose outcome the profile accepts
├── ChangedMeanwhile   the log on disk is no longer the one that was read
├── CannotWrite        the target cannot be written
│   └── PartlyWritten  some files of a folder are changed, others are not; the backup holds the originals
├── FleetError         the cluster, its storage or the folder of a run cannot be used
├── ProgramFault       the program itself failed on this log
├── UnknownName        a preset, strategy, profile, rule or format that does not exist
└── Cancelled          the user cancelled
"""

from __future__ import annotations

from inspector.core.translation import tr


class InspectorError(Exception):
    """The base class of all errors. `str(error)` is the sentence for the user.

    `reason` is a sentence with neither a path nor content of the log, for a report to share; "" if there is none.
    """

    reason: str = ""


class UnreadableLog(InspectorError):
    """The bytes cannot be read, or are not a log."""

    @classmethod
    def from_os_error(cls, error: OSError, path: object) -> UnreadableLog:
        """Return the error for a path that the operating system could not read."""
        found = Inaccessible(tr("{path} cannot be read: {strerror}.", path=path, strerror=error.strerror or error))
        found.reason = tr(Inaccessible.reason, detail=error.strerror or type(error).__name__)
        return found


class Inaccessible(UnreadableLog):
    """The operating system cannot read it: access is denied, or it was removed."""

    reason = tr("It cannot be read: {detail}.")


class DamagedFile(UnreadableLog):
    """An archive or compressed data is damaged."""

    reason = tr("The file is damaged. Ask for it again.")


class CutOffFile(DamagedFile):
    """The end of an archive or of compressed data is missing, as after an upload that was interrupted."""

    reason = tr("The upload was cut off. Ask for the file again.")


class WrongFormat(UnreadableLog):
    """The whole log was read and holds nothing of the format that it seemed to be."""


class NotDivisible(UnreadableLog):
    """The log that was read in parts has to be read as a whole. This is found out only on the way."""


class TooDeep(UnreadableLog, ValueError):
    """A value is nested too deeply to be read."""

    def __init__(
        self, sentence: str = tr("A value in the log is nested too deeply to be read. The log was not changed.")
    ):
        super().__init__(sentence)


class NotJudged(InspectorError):
    """No format claims the log with enough certainty."""


class NoLogsFound(NotJudged):
    """No file in a folder or an archive can be read as a log."""


class ReadOnlyFormat(InspectorError):
    """The format cannot be written in the requested way."""


class NotVerified(InspectorError):
    """No plan was found whose outcome verifies; nothing was written."""


class ChangedMeanwhile(InspectorError):
    """The log on disk is no longer the one that was read."""

    reason = tr("The file changed while it was being read. Check it again.")

    @classmethod
    def while_read(cls, path: object) -> ChangedMeanwhile:
        return cls(tr("{path} changed while it was being read. Open the log again.", path=path))

    @classmethod
    def for_path(cls, path: object) -> ChangedMeanwhile:
        return cls(tr("{path} has changed since it was read. Close the agent, then open the log again.", path=path))

    @classmethod
    def for_row(cls, key: str, table: str) -> ChangedMeanwhile:
        return cls(tr("Nothing was written, because row {key} of {table} no longer exists.", key=key, table=table))


class CannotWrite(InspectorError):
    """The target cannot be written."""

    @classmethod
    def from_error(cls, error: Exception, path: object, stays: str = "") -> CannotWrite:
        """Return the error for a path that the operating system or the database could not write.

        `stays` is a sentence that says what is unchanged.
        """
        why = error.strerror if isinstance(error, OSError) else ""
        return cls(
            tr("{path} could not be written: {why}.{stays}", path=path, why=why or error, stays=stays and f" {stays}")
        )


class PartlyWritten(CannotWrite):
    """Some files of a folder are changed and others are not. The backup that the message names holds the originals."""


class FleetError(InspectorError):
    """The cluster, its storage or the folder of a run cannot be used."""


class ProgramFault(InspectorError):
    """The program itself failed on a log. The original exception is the `__cause__` of this error."""


class UnknownName(InspectorError):
    """A name does not exist in its table."""

    @classmethod
    def for_session(cls, name: str, last: int) -> UnknownName:
        return cls(
            tr(
                "This log has no session {name}. Specify an id or a number from 0 to {last}.",
                name=name,
                last=last,
            )
        )


class Cancelled(InspectorError):
    """The user cancelled."""


def describe_error_origin(error: BaseException, within: str = "") -> str:
    """Return the type of an error and the line that raised it, the last one in the package `within` if there is one.

    The text holds nothing from the log.
    """
    # Imported here because this is rarely needed and would slow down every start.
    import traceback  # noqa: PLC0415
    from pathlib import PurePath  # noqa: PLC0415

    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if within in PurePath(frame.filename).parts] or frames
    place = tr(" in {name}, line {lineno}", name=PurePath(own[-1].filename).name, lineno=own[-1].lineno) if own else ""
    return f"{type(error).__name__}{place}"
