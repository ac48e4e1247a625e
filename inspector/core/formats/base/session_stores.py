"""How an agent finds its sessions again: the sessions in its store, what keeps the agent from each, and the command.

A format with a `SessionStore` declares its index and pointers here. Nothing is written, and no file of a store is
opened for writing. Each statement was observed by running the agent on a store with only that fault.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from inspector.core.formats.base.copyable_commands import shell_command
from inspector.core.formats.base.stores import HostEnvironment, with_tilde
from inspector.core.storage.json_text import is_valid_json, parse_json
from inspector.core.storage.source import BOM
from inspector.core.translation import tr

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_FIRST_LINE = 1024 * 1024


class FaultEffect(IntEnum):
    """What a fault of a store does, in rising order of harm.

    NOTE: nothing by itself. NOT_RECORDED: the session opens, and what follows is not recorded. LEFT_OUT: the session
    opens, and much of its history is not sent. PASSED_OVER: "continue the latest" starts a new session without an
    error. NOT_OPENED: the agent does not open the session by its id. LOST: the agent has already removed records.
    DESTROYS: opening the session cuts or empties it.
    """

    NOTE = 0
    NOT_RECORDED = 1
    LEFT_OUT = 2
    PASSED_OVER = 3
    NOT_OPENED = 4
    LOST = 5
    DESTROYS = 6

    @property
    def word(self) -> str:
        return self.name.lower().replace("_", "-")

    @property
    def blocks(self) -> bool:
        return self >= FaultEffect.NOT_OPENED


class StoreFault(Struct, frozen=True):
    """One thing that keeps an agent from a session: what was measured, what the agent expects, and what helps.

    `cause` is a word of CAUSES. `intended`: the person asked for it, as for an archived session. `opens_as_is`: the
    command of the session opens it although the fault is there. `makes_new_session`: the remedy saves the session under
    a new id, and prints the command for that.
    """

    cause: str
    effect: FaultEffect
    measured: str
    expected: str
    remedy: str
    intended: bool = False
    opens_as_is: bool = False
    makes_new_session: bool = False


CAUSES: dict[str, str] = {
    "other-folder": tr("the session belongs to a folder other than the one that the agent searches"),
    "folder-gone": tr("the session's project folder does not exist"),
    "misplaced": tr("the log is in a place where the agent does not look"),
    "misnamed": tr("the agent does not look for a log with this name"),
    "other-id": tr("the log's file name and its records contain different ids"),
    "compressed": tr("the log is compressed or encoded in a way that the agent cannot read"),
    "empty": tr("the log is empty"),
    "no-messages": tr("the log contains no conversation messages"),
    "first-record": tr("the log does not begin with the record that the agent requires"),
    "damaged-record": tr("a record that the agent requires is damaged"),
    "damaged-metadata": tr("a file with the session's metadata is missing or damaged"),
    "damaged-index": tr("an index in the store is damaged"),
    "index-path": tr("the index has a different path for the log"),
    "entry-without-file": tr("the index has an entry, but there is no log"),
    "file-without-entry": tr("there is a log, but the index has no entry for it"),
    "pointer": tr("the link between the project folder and its store is wrong"),
    "duplicate": tr("two logs have the same id"),
    "archived": tr("the session was archived"),
    "older-layout": tr("the log is stored in the layout of an older version of the agent"),
    "link": tr("the log is a symbolic link"),
    "no-permission": tr("the log cannot be read"),
    "read-only": tr("the log cannot be written to"),
    "cut": tr("the agent truncated the log at a damaged record"),
    "mixed-ids": tr("the records belong to several sessions"),
    "short-resume": tr("the agent would send only a small part of the history"),
}


class StoredSession(Struct):
    """A session in the store of its agent. `log` is "" where only an index knows it.

    `id` is the one by which the agent finds it. `names` are further ids, titles and names by which a person may ask for
    it. `entry` is what the store of the agent keeps for itself.
    """

    agent: str
    format: str
    id: str
    log: str
    folder: str = ""
    names: tuple[str, ...] = ()
    entry: Any = None


class OpeningCommand(Struct, frozen=True):
    """The command that was seen to open a session, "" where none is known.

    `after_remedy`: only after what the faults ask for. `warning` is to be read before anything is run.
    """

    command: str
    after_remedy: bool = False
    warning: str = ""


class SessionStore(ABC):
    """The store of an agent: one subclass for each agent of which it is known how it finds its sessions."""

    agent: str
    """The name of the agent for people."""
    variable: str = ""
    """The environment variable that moves the store."""
    default_home: str = ""
    """The folder of the store where the variable is not set, below the home folder of the person."""
    seen: str
    """The versions in which the behavior was seen."""
    elsewhere: str
    """What the agent does where a sound session is asked for in another folder than that of its project."""

    def home(self, machine: HostEnvironment) -> str:
        """Return the folder of the store, the one that `variable` names."""
        moved = machine.environment.get(self.variable, "")
        return moved if os.path.isabs(moved) else os.path.join(machine.home, self.default_home)

    @abstractmethod
    def exists(self, home: str) -> bool:
        """Return whether the agent has kept anything there."""

    @abstractmethod
    def sessions(self, home: str) -> list[StoredSession]:
        """Return the sessions of the store, by names and indexes and first lines alone."""

    @abstractmethod
    def faults(self, home: str, session: StoredSession) -> Iterator[StoreFault]:
        """Yield what keeps the agent from a session. The log may be read as a whole."""

    def store_faults(self, home: str) -> Iterator[StoreFault]:
        """Yield what is wrong with the indexes of the store itself."""
        return iter(())

    @abstractmethod
    def words(self, home: str, session: StoredSession, faults: list[StoreFault]) -> tuple[str, ...]:
        """Return the words of the command that opens a session in the folder of its project, () for none."""

    def opening(
        self, home: str, session: StoredSession, faults: list[StoreFault], machine: HostEnvironment
    ) -> OpeningCommand:
        """Return the command that opens a session, with the change of folder and the variable that it needs."""
        is_renewed = any(fault.makes_new_session for fault in faults)
        words = () if is_renewed else self.words(home, session, faults)
        command = command_in_folder(words, start_folder(session, faults), self.assignment(home, session, machine))
        after = any(fault.effect.blocks and not fault.opens_as_is for fault in faults)
        return OpeningCommand(command, after, self.warning(faults))

    def warning(self, faults: list[StoreFault]) -> str:
        """Return what a person must know before opening the session, "" for nothing."""
        harm = max((fault.effect for fault in faults), default=FaultEffect.NOTE)
        if harm == FaultEffect.DESTROYS:
            return tr(
                "Do not open this session yet, because {agent} would shorten or empty the log. Copy the log first.",
                agent=self.agent,
            )
        if harm == FaultEffect.NOT_RECORDED:
            return tr("{agent} would open this session, but would no longer record anything.", agent=self.agent)
        return ""

    def assignment(self, home: str, session: StoredSession, machine: HostEnvironment) -> tuple[str, str] | None:
        """Return the variable and the value with which the agent looks in `home`, None where it does so anyway."""
        if not self.variable or os.path.normpath(home) == os.path.normpath(self.home(machine)):
            return None
        return self.variable, self.value_of_variable(home)

    def value_of_variable(self, home: str) -> str:
        """Return the value of the variable for a store at `home`."""
        return home


def start_folder(session: StoredSession, faults: list[StoreFault]) -> str:
    """Return the folder in which the command is run, "" where any will do.

    A folder that has to be made first is named as well.
    """
    is_made_first = any(fault.cause == "folder-gone" and not fault.opens_as_is for fault in faults)
    return session.folder if is_made_first or os.path.isdir(session.folder) else ""


def command_in_folder(words: tuple[str, ...], folder: str, assignment: tuple[str, str] | None = None) -> str:
    """Return a command that is run in `folder`, "" where a word cannot be spelled for every shell."""
    run = shell_command(*words) if words else ""
    if not run:
        return ""
    if assignment is not None:
        name, value = assignment
        spelled = shell_command(value)
        if not spelled or os.name == "nt":
            return ""
        run = f"{name}={spelled} {run}"
    change = shell_command(*(("cd", "/d", folder) if os.name == "nt" else ("cd", folder))) if folder else ""
    return f"{change} && {run}" if change else "" if folder else run


# What several stores look at.


def first_line(path: str) -> bytes:
    """Return the first line of a file without its line end, as far as a megabyte. b"" where it cannot be read."""
    with suppress(OSError), open(path, "rb") as file:
        return file.readline(_FIRST_LINE).rstrip(b"\r\n")
    return b""


def json_object(text: bytes) -> dict[str, Any]:
    """Return the JSON object in a text, an empty one where it holds none."""
    value = parse_json(text) if is_valid_json(text) else None
    return value if isinstance(value, dict) else {}


def json_file_problem(path: str | Path) -> str:
    """Return "missing", "empty" or "damaged" for a file that must hold a JSON object, "" where it does."""
    try:
        text = Path(path).read_bytes()
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "damaged"
    return "" if json_object(text) else "damaged" if text.strip() else "empty"


def file_lines(path: str) -> Iterator[bytes]:
    """Yield the lines of a file without their line ends; nothing where it cannot be read."""
    with suppress(OSError), open(path, "rb") as file:
        for line in file:
            yield line.rstrip(b"\r\n")


def text_under_keys(value: Any, *keys: str) -> str:
    """Return the text under a path of keys, "" where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def shown_path(path: str) -> str:
    """Return a path as sentences show it."""
    return with_tilde(path)


def access_faults(path: str, agent: str, when_read_only: FaultEffect | None) -> Iterator[StoreFault]:
    """Yield why a log cannot be read or written.

    `when_read_only` is what the agent does with a read-only log, None where that was not tried.
    """
    if not os.path.lexists(path):
        return
    if os.path.isdir(path):
        yield StoreFault(
            "misplaced",
            FaultEffect.NOT_OPENED,
            tr("{shown} is a folder.", shown=shown_path(path)),
            tr("{agent} expects a file with this name.", agent=agent),
            tr(
                "Rename the folder, or remove it: {command}",
                command=shell_command("mv", path, f"{path}.folder"),
            ),
        )
    elif not os.path.exists(path):
        yield StoreFault(
            "link",
            FaultEffect.NOT_OPENED,
            tr("{shown} is a symbolic link to a file that does not exist.", shown=shown_path(path)),
            tr("{agent} reads the session from the target of the link.", agent=agent),
            REPLACE_LINK,
        )
    elif not os.access(path, os.R_OK):
        yield StoreFault(
            "no-permission",
            FaultEffect.NOT_OPENED,
            no_permission_sentence(path),
            tr("{agent} opens only logs that it has permission to read.", agent=agent),
            tr("To grant the permission, run: {command}", command=shell_command("chmod", "u+rw", path)),
        )
    elif when_read_only is not None and not os.access(path, os.W_OK):
        does = {
            FaultEffect.NOT_RECORDED: tr("continues a session that it cannot write to, but no longer records anything"),
            FaultEffect.NOT_OPENED: tr("does not open a session that it cannot write to"),
        }[when_read_only]
        yield StoreFault(
            "read-only",
            when_read_only,
            tr("You do not have permission to write to {shown}.", shown=shown_path(path)),
            f"{agent} {does}.",
            tr("To grant the permission, run: {command}", command=shell_command("chmod", "u+w", path)),
        )


def access_and_empty_faults(path: str, agent: str, when_read_only: FaultEffect | None) -> Iterator[StoreFault]:
    """Yield why nothing can be read from a log, or why it cannot be written; see `access_faults`."""
    yield from access_faults(path, agent, when_read_only)
    if is_empty(path):
        yield empty_fault(path, agent)


def has_content(path: str) -> bool:
    """Return whether there is a file at a path that can be read and is not empty."""
    return is_readable_file(path) and not is_empty(path)


def is_readable_file(path: str) -> bool:
    """Return whether there is a file at a path that can be read."""
    return os.path.isfile(path) and os.access(path, os.R_OK)


def closed_folder_faults(folders: Iterable[str], agent: str) -> Iterator[StoreFault]:
    """Yield the folders of a store that may not be read: the agent finds no session there."""
    for folder in folders:
        if not os.access(folder, os.R_OK | os.X_OK):
            yield StoreFault(
                "no-permission",
                FaultEffect.NOT_OPENED,
                no_permission_sentence(folder),
                tr(
                    "{agent} reports that the session does not exist but does not mention the missing permission.",
                    agent=agent,
                ),
                tr("To grant the permission, run: {command}", command=shell_command("chmod", "u+rwx", folder)),
            )


def folder_gone_fault(
    session: StoredSession, effect: FaultEffect, expected: str, remedy: str = "", opens_as_is: bool = False
) -> Iterator[StoreFault]:
    """Yield that the folder of the project does not exist, where that is known."""
    if session.folder and not os.path.isdir(session.folder):
        make = tr("Create the folder again: {command}", command=shell_command("mkdir", "-p", session.folder))
        yield StoreFault(
            "folder-gone",
            effect,
            tr("The project's folder, {shown}, does not exist.", shown=shown_path(session.folder)),
            expected,
            f"{make}. {remedy}" if remedy else make,
            opens_as_is=opens_as_is,
        )


def first_record_problem(path: str, is_wanted: Any) -> str:
    """Return what is wrong with the first line of a log, "" where `is_wanted` accepts its object.

    "empty", "bom", "fused" (two records on one line), "torn", "displaced" (the wanted record is a later line) or
    "missing".
    """
    line = first_line(path)
    if not line:
        with suppress(OSError):
            if os.path.getsize(path) == 0:
                return "empty"
        line = next((line for line in file_lines(path) if line.strip()), b"")
        if not line:
            return "empty"
    if line.startswith(BOM):
        return "bom"
    if is_valid_json(line):
        if is_wanted(json_object(line)):
            return ""
    elif is_wanted(first_of_fused(line)):
        return "fused"
    if any(is_wanted(json_object(later)) for _, later in zip(range(50), file_lines(path), strict=False)):
        return "displaced"
    return "missing" if is_valid_json(line) else "torn"


def first_of_fused(line: bytes) -> dict[str, Any]:
    """Return the first object of a line that holds several one after the other, an empty one where it does not."""
    at = line.find(b"}{")
    while at >= 0:
        if is_valid_json(line[: at + 1]):
            return json_object(line[: at + 1])
        at = line.find(b"}{", at + 1)
    return {}


NOTHING_TO_DO = tr("No action is needed.")
OPEN_BY_PATH = tr("Open the session by its file path.")
RESTORE_FILE = tr("Restore the file from a backup.")
REPLACE_LINK = tr("Replace the link with the file itself.")
NOTHING_TO_OPEN = tr("Nothing in this file can be opened.")
NO_COMMAND_SEEN = tr("No command to open the session was found.")


def file_name_sentence(path: str) -> str:
    """Return what a log is called, as a measurement."""
    return tr("The file is named {path}.", path=os.path.basename(path))


def no_permission_sentence(path: str) -> str:
    """Return that a file or folder is closed to the person, as a measurement."""
    return tr("You do not have permission to read {shown}.", shown=shown_path(path))


def symbolic_link_sentence(path: str) -> str:
    """Return that a file is a symbolic link, as a measurement."""
    return tr("{shown} is a symbolic link.", shown=shown_path(path))


def damaged_line_sentence(number: int, path: str) -> str:
    """Return that a line of a file is no JSON, as a measurement."""
    return tr("Line {number} of {shown} is not valid JSON.", number=number, shown=shown_path(path))


def same_id_sentence(path: str, other: str) -> str:
    """Return that two logs have the same id, as a measurement."""
    return tr("{log} and {other} have the same id.", log=shown_path(path), other=shown_path(other))


def other_id_fault(agent: str, name: str, inside: str) -> StoreFault:
    """Return the fault of a log that is found by the id in its name, while its records name another."""
    return StoreFault(
        "other-id",
        FaultEffect.NOTE,
        tr("The file name contains the id {name}, but the records contain the id {inside}.", name=name, inside=inside),
        tr("{agent} finds the session by the id in the file name.", agent=agent),
        tr("Use the id {name}.", name=name),
        opens_as_is=True,
    )


FIRST_RECORD_WORDS = {
    "bom": tr("begins with a byte order mark"),
    "fused": tr("has two records on its first line"),
    "torn": tr("begins with an incomplete line"),
    "displaced": tr("has another record before the required first record"),
    "missing": tr("does not contain the required first record"),
}
FIRST_RECORD_REMEDIES = {
    "bom": tr("Remove the first three bytes of the file."),
    "fused": tr("Split the first line between `}` and `{`."),
    "displaced": tr("Move the required first record to line 1."),
}


def new_session_remedy(path: str) -> str:
    """Return the remedy of a log that is repaired as a new session."""
    command = shell_command("transcript-inspector", "fix", path)
    return tr(
        "Run this command to repair the log as a new session, and then run the command that it prints: {command}",
        command=command,
    )


def first_record_fault(
    path: str, agent: str, record: str, problem: str, rewrite: str, makes_new_session: bool = False
) -> Iterator[StoreFault]:
    """Yield what a problem with the first record does: the agent does not open the log.

    `rewrite` is the remedy where the record is lost, and `makes_new_session` says what it does.
    """
    if problem == "empty":
        yield empty_fault(path, agent)
    elif problem:
        yield StoreFault(
            "first-record",
            FaultEffect.NOT_OPENED,
            f"{shown_path(path)} {FIRST_RECORD_WORDS[problem]}.",
            tr("{agent} opens only logs that begin with the {record}.", agent=agent, record=record),
            tr(
                "{first_record_remedies} Make a copy of the file first.",
                first_record_remedies=FIRST_RECORD_REMEDIES[problem],
            )
            if problem in FIRST_RECORD_REMEDIES
            else rewrite,
            makes_new_session=makes_new_session and problem not in FIRST_RECORD_REMEDIES,
        )


def empty_fault(path: str, agent: str) -> StoreFault:
    """Return the fault of a log without a byte."""
    return StoreFault(
        "empty",
        FaultEffect.NOT_OPENED,
        tr("{shown} is empty.", shown=shown_path(path)),
        tr("{agent} opens only logs that contain a conversation.", agent=agent),
        tr("Nothing in this file can be opened. Restore the file from a backup, or remove it."),
    )


def is_empty(path: str) -> bool:
    """Return whether a file holds nothing but white space, judged by its size and first bytes."""
    try:
        with open(path, "rb") as file:
            return not file.read(4096).strip() and not file.read(1)
    except OSError:
        return False


def subfolders(folder: str | Path) -> list[os.DirEntry[str]]:
    """Return the folders in a folder by name, none where it cannot be read."""
    return [entry for entry in entries_in(folder) if os.path.isdir(entry.path)]


def entries_in(folder: str | Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder by name, none where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def not_json_sentence(path: str) -> str:
    """Return the sentence that a file is not valid JSON."""
    return tr("{shown} is not valid JSON.", shown=shown_path(path))
