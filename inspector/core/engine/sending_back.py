"""Sending a repair back: the plan without content, and a page on what to do with it where the log lies."""

import re
import sys

from inspector.core.engine.open_log import OpenLog
from inspector.core.engine.packing import zipped
from inspector.core.engine.report_file import write_made
from inspector.core.formats.bases.agent import agent_of
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.session import Log
from inspector.core.repair.choices import Choices
from inspector.core.reports.outward.send_back import LOG, SESSION, Instructions, page
from inspector.core.reports.outward.wording import Wording
from inspector.core.showing.outward import SendBack, SendBackWish
from inspector.core.showing.overview import folder_of
from inspector.core.stores.found import agent_name, usual_folder
from inspector.version import __version__

_HERE = {"win32": "windows", "darwin": "macos"}


def send_back(log: OpenLog, choices: Choices, wish: SendBackWish) -> SendBack:
    """The repair that `choices` ask for, to be done where the log lies. Nothing is written.

    Raises as `OpenLog.plan_to_pass_on` does.
    """
    file, format = log.plan_to_pass_on(choices), log.report.format
    system = wish.system or system_of(log.log)
    going = agent_of(format).resume_steps(LOG, SESSION, False)
    told = Instructions(
        agent="" if format.api else agent_name(format),
        version=__version__,
        system=system,
        folder=usual_folder(format.stores, system),
        records=len(file.records),
        in_place=isinstance(format, Writer) and not format.refuses(log.log, "in-place"),
        steps=going.others,
        command=going.command,
    )
    return SendBack(page(told, Wording(wish.language)), file.encoded().decode(), system)


def save_send_back(log: OpenLog, choices: Choices, wish: SendBackWish, target: str) -> None:
    """Write that as an archive to `target`. Raises CannotWrite as well."""
    made = send_back(log, choices, wish)
    members = {"read-me.txt": made.page.encode(), "plan.json": made.plan.encode()}
    write_made(target, zipped(members), log.source)


def system_of(log: Log) -> str:
    """The system that a log was written on, by the folder that its agent worked in; if that is unknown, ours."""
    folder = folder_of(log)
    if re.match(r"[A-Za-z]:[\\/]", folder):
        return "windows"
    if folder.startswith("/"):
        return "macos" if folder.startswith("/Users/") else "linux"
    return _HERE.get(sys.platform, "linux")
