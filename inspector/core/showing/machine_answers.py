"""What the engine answers about the machine: logs in a list, the places that a pasted text leads to, backups."""

from msgspec import Struct

from inspector.core.index.place import RecordLocation


class LogVerdict(Struct, frozen=True):
    """What judging a log of a list came to. `verdict` is one of those of a session, the worst of all in the log.

    `cause` is what has likely happened in that, a sentence; where none is known, what is wrong. `version` is that of
    the agent, `lost` counts the calls and results that miss each other.
    """

    verdict: str
    sentence: str
    errors: int = 0
    sessions: int = 1
    cause: str = ""
    version: str = ""
    lost: int = 0


class LookupPlace(Struct, frozen=True, kw_only=True):
    """A place that a pasted text is about, in the log at `path`.

    `how` it was found: by an id, an index or its class; "recorded" where the log keeps the error; "request" where a
    pasted request ends. `sentence` says what is there, `finding` is the id of the finding there, if there is one.
    """

    path: str
    place: RecordLocation
    how: str
    sentence: str
    finding: str = ""


class LookupAnswer(Struct, frozen=True, kw_only=True):
    """What a pasted text comes to. `meaning` says it in words, "" when its wording is not known.

    `fits`: the logs were found only because what is wrong in them fits. `searched` says which sessions were looked
    through, `looked_at` how many; "" when it was the open log alone.
    """

    meaning: str
    named: tuple[str, ...]
    is_request: bool
    explains: bool
    fits: bool
    places: tuple[LookupPlace, ...]
    remarks: tuple[str, ...]
    searched: str = ""
    looked_at: int = 0


class Backup(Struct, frozen=True):
    """A backup that can be restored, and the path of what it is of."""

    path: str
    original: str


class RestoreResult(Struct, frozen=True):
    """Where an original lies again, and where that which lay there is kept ("" where nothing did)."""

    path: str
    kept: str
    warnings: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        kept = (f"What lay there is kept as {self.kept}.",) if self.kept else ()
        return (f"{self.path} is what it was.", *kept)


class CleanupResult(Struct, frozen=True, kw_only=True):
    """What was removed of all that is kept outside of the logs, and what was not.

    `settings` is the file of the window's settings, "" where there was none or it was not asked for; `dialog` that in
    which Qt's file dialog had folders; `unfinished` are temporary files that were left over, `in_use` those of programs
    that run, or that cannot be removed. `beside` are backups and set-aside bytes, which hold what logs say and stay
    until the person removes them, in the folders that were `looked_in`.
    """

    settings: str
    dialog: str
    unfinished: tuple[str, ...]
    in_use: tuple[str, ...]
    beside: tuple[str, ...]
    looked_in: tuple[str, ...]
