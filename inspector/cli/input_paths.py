"""Which logs a command that takes many is about: paths, lists of paths, and the stores of agents."""

import re
import sys
import time
from collections.abc import Iterator
from datetime import datetime

import click

from inspector.cli.exit_codes import NOT_JUDGED, exit_on_error
from inspector.cli.terminal import print_text
from inspector.core.discovery.log_entry import UnreadFile
from inspector.core.engine import without_open_log
from inspector.core.translation import tr, tr_plural

_UNITS = {"h": 3600, "d": 86400, "w": 7 * 86400}
_AGE = re.compile(r"(\d{1,6})([hdw])")


def _listed_paths(files_from: str, null_separated: bool) -> Iterator[str]:
    """Yield the paths in a file, or on standard input for "-": one per line, or separated by zero bytes."""
    try:
        if files_from == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(files_from, "rb") as file:
                data = file.read()
    except OSError as error:
        raise click.UsageError(
            tr("{files_from} cannot be read: {strerror}.", files_from=files_from, strerror=error.strerror or error)
        ) from error
    separator = b"\0" if null_separated else b"\n"
    for name in data.split(separator):
        path = name if null_separated else name.removesuffix(b"\r")
        if path:
            yield path.decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def resolve_log_paths(
    paths: tuple[str, ...],
    files_from: str,
    null_separated: bool,
    store: str,
    agent: str,
    project: str,
    since: str,
) -> tuple[str, ...]:
    """Return the paths that the options name. Raises click.UsageError; exits where none is left."""
    not_before = _parse_since(since)
    paths += tuple(_listed_paths(files_from, null_separated)) if files_from else ()
    if store and (paths or agent):
        raise click.UsageError(
            tr("--store checks an agent's sessions, so it cannot be combined with paths or --agent.")
        )
    if not (paths or store or agent or project or files_from):
        raise click.UsageError(tr("Specify the paths of logs, or use --store AGENT or --files-from FILE."))
    if not (store or agent or project or since):
        return paths
    others: list[UnreadFile] = []
    with exit_on_error():
        logs = without_open_log.list_logs(paths, store or agent, project, others)
        kept = tuple(entry.path for entry in logs if entry.modified >= not_before)
    if others:
        text = tr_plural("{number:,} file is not a log.", "{number:,} files are not logs.", len(others))
        print_text(text, err=True)
    if not kept:
        print_text(tr("No logs match the --store, --agent, --project and --since options."), err=True)
        raise SystemExit(NOT_JUDGED)
    return kept


def _parse_since(text: str) -> float:
    """Return the time of `--since` in seconds since 1970, 0 for "". Raises click.UsageError."""
    if not text:
        return 0.0
    if age := _AGE.fullmatch(text):
        return time.time() - int(age[1]) * _UNITS[age[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise click.UsageError(
            tr("--since expects an age such as 12h, 7d or 2w, or a date such as 2026-11-01, not {text}.", text=text)
        ) from error
