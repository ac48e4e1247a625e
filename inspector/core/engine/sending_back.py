"""Sending a repair back: the plan without content, and a page on what to do with it where the log lies."""

import re
import sys

from inspector.core.engine.open_log import OpenLog
from inspector.core.engine.packing import zip_bytes
from inspector.core.engine.report_file import write_export
from inspector.core.formats.bases.agent import agent_of
from inspector.core.formats.bases.writer import Writer
from inspector.core.index.session import Log
from inspector.core.repair.choices import Choices
from inspector.core.reports.outward.send_back import (
    LOG_PLACEHOLDER,
    SESSION_PLACEHOLDER,
    RepairInstructions,
    instructions_page,
)
from inspector.core.reports.outward.wording import Translator
from inspector.core.showing.outward import SendBackOptions, SendBackPackage
from inspector.core.showing.overview import working_folder
from inspector.core.stores.found import agent_name, default_store_folder
from inspector.version import __version__

_HERE = {"win32": "windows", "darwin": "macos"}


def make_send_back_package(log: OpenLog, choices: Choices, options: SendBackOptions) -> SendBackPackage:
    """The repair that `choices` ask for, to be done where the log lies. Nothing is written.

    Raises as `OpenLog.plan_to_pass_on` does.
    """
    file, format = log.make_portable_plan(choices), log.report.format
    system = options.system or operating_system_of(log.log)
    going = agent_of(format).resume_steps(LOG_PLACEHOLDER, SESSION_PLACEHOLDER, False)
    told = RepairInstructions(
        agent="" if format.is_provider_api else agent_name(format),
        version=__version__,
        system=system,
        folder=default_store_folder(format.stores, system),
        records=len(file.records),
        in_place=isinstance(format, Writer) and not format.save_refusal(log.log, "in-place"),
        steps=going.steps,
        command=going.command,
    )
    return SendBackPackage(instructions_page(told, Translator(options.language)), file.encode().decode(), system)


def save_send_back_package(log: OpenLog, choices: Choices, options: SendBackOptions, target: str) -> None:
    """Write that as an archive to `target`. Raises CannotWrite as well."""
    made = make_send_back_package(log, choices, options)
    members = {"read-me.txt": made.page.encode(), "plan.json": made.plan.encode()}
    write_export(target, zip_bytes(members), log.source)


def operating_system_of(log: Log) -> str:
    """The system that a log was written on, by the folder that its agent worked in; if that is unknown, ours."""
    folder = working_folder(log)
    if re.match(r"[A-Za-z]:[\\/]", folder):
        return "windows"
    if folder.startswith("/"):
        return "macos" if folder.startswith("/Users/") else "linux"
    return _HERE.get(sys.platform, "linux")
