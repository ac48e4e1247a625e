"""`sessions`: the logs of the agents on this machine, or those in a folder, as a table."""

import os
import time
from collections.abc import Iterable, Iterator
from itertools import islice

import click
from rich.cells import cell_len, set_cell_size

from inspector.cli import exit_codes, options
from inspector.cli.terminal import escape_controls, print_json, print_text
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.engine import without_open_log
from inspector.core.formats.base.stores import with_tilde
from inspector.core.report.json import log_list_json
from inspector.core.report.sentences import clip
from inspector.core.translation import tr

_TITLE, _PROJECT = 48, 32


@click.command(short_help=tr("List the logs of all agents on this machine, newest first."))
@click.argument("folders", nargs=-1, type=click.Path())
@click.option("--agent", default="", help=tr("List only logs of this agent. NAME is the agent's name or part of it."))
@click.option("--project", default="", help=tr("List only sessions whose project folder contains this text."))
@click.option("--limit", type=click.IntRange(min=1), default=None, help=tr("Maximum number of logs to list."))
@options.output_format_option(help=tr("Format of the output."))
def sessions(folders: tuple[str, ...], agent: str, project: str, limit: int | None, form: str) -> None:
    """List the logs of all agents on this machine, or the logs in FOLDERS, newest first. The logs are not checked."""
    with exit_codes.exit_on_error():
        logs = list(islice(without_open_log.list_logs(folders, agent, project), limit))
    if form == "json":
        print_json(log_list_json(logs))
    elif logs:
        heading, *lines = log_table_lines(logs)
        click.echo("\n".join((click.style(escape_controls(heading), bold=True), *map(escape_controls, lines))))
    else:
        print_text(_nothing_found(folders, bool(agent or project)))


def log_table_lines(logs: Iterable[LogEntry]) -> Iterator[str]:
    """Yield the list as lines, first the titles. Rows are never wrapped, so that a path can be copied whole."""
    logs = list(logs)
    repaired = without_open_log.repaired_session_paths(logs)
    rows: list[tuple[str, ...]] = [("changed", "agent", "project", "title", "size", "path")]
    rows += [_row(entry, entry.path in repaired) for entry in logs]
    widths = [max(map(cell_len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    for *cells, size, path in rows:
        padded = (set_cell_size(cell, width) for cell, width in zip(cells, widths, strict=False))
        yield "  ".join((*padded, size.rjust(widths[-1]), path))


def _row(entry: LogEntry, is_repaired: bool) -> tuple[str, ...]:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.modified))
    project, title = _cut_start(with_tilde(entry.project), _PROJECT), clip(entry.title, _TITLE)
    if is_repaired:
        title = tr("{title} (repaired)", title=title)
    return tuple(map(_escape, (when, entry.agent, project, title, f"{entry.size:,}", entry.path)))


def _cut_start(text: str, most: int) -> str:
    return text if len(text) <= most else "…" + text[1 - most :]


def _escape(text: str) -> str:
    """Replace characters that are not printable, so that the text of a log cannot control the terminal."""
    return "".join(character if character.isprintable() else "�" for character in text)


def _nothing_found(folders: tuple[str, ...], filtered: bool) -> str:
    if filtered:
        return tr("No logs match this agent and project.")
    if folders:
        return tr("No supported logs were found in these places.")
    store_folders = without_open_log.store_folders()
    existing = [folder for folder in store_folders if os.path.isdir(folder)]
    places = (
        tr("Searched folders: {existing}.", existing=", ".join(existing))
        if existing
        else tr("All {number} folders in which agents store their sessions are missing.", number=len(store_folders))
    )
    return tr(
        "No sessions were found on this machine. {places} To list the logs in another folder, use `sessions FOLDER`.",
        places=places,
    )
