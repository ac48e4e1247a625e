"""`--install-desktop` and `--uninstall-desktop`: the entry of the window in the application menu of Linux desktops."""

import os
import shutil
import sys
from pathlib import Path

from inspector.cli import exit_codes
from inspector.core.translation import tr
from inspector.resource_folder import resources_folder

INSTALL, UNINSTALL = "--install-desktop", "--uninstall-desktop"
_NAME = "transcript-inspector"
_ENTRY = Path("applications", f"{_NAME}.desktop")
_ICON = Path("icons", "hicolor", "scalable", "apps", f"{_NAME}.svg")


def change_desktop_entry(option: str) -> int:
    """Write or remove the desktop entry and its icon, and print their paths. Return the exit code."""
    if not sys.platform.startswith("linux"):
        print(
            tr(
                "{option} works only on Linux. On this system, run `{name}` to open the window.",
                option=option,
                name=_NAME,
            ),
            file=sys.stderr,
        )
        return exit_codes.UNREADABLE
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    try:
        return _install(data) if option == INSTALL else _uninstall(data)
    except OSError as error:
        print(
            tr(
                "{filename} cannot be changed: {strerror}.",
                filename=error.filename or data,
                strerror=error.strerror or error,
            ),
            file=sys.stderr,
        )
        return exit_codes.UNREADABLE


def _install(data: Path) -> int:
    entry = (resources_folder() / f"{_NAME}.desktop").read_text("utf-8")
    # The folder of the program is often not in the PATH of the desktop.
    entry = entry.replace(f"Exec={_NAME} ", f"Exec={_command()} ")
    for path, content in (
        (data / _ENTRY, entry.encode()),
        (data / _ICON, (resources_folder() / "icons" / "app.svg").read_bytes()),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        print(tr("Written: {path}", path=path))
    print(tr("To undo: {name} {uninstall}", name=_NAME, uninstall=UNINSTALL))
    return exit_codes.OK


def _uninstall(data: Path) -> int:
    found = [path for path in (data / _ENTRY, data / _ICON) if path.exists()]
    for path in found:
        path.unlink()
        print(tr("Removed: {path}", path=path))
    if not found:
        print(tr("There is no desktop entry in {data}.", data=data))
    return exit_codes.OK


def _command() -> str:
    """Return the command that starts this program, quoted for the key Exec."""
    program = Path(sys.argv[0]).absolute() if Path(sys.argv[0]).name == _NAME else shutil.which(_NAME)
    return _quoted(str(program)) if program else f"{_quoted(sys.executable)} -m inspector"


def _quoted(argument: str) -> str:
    """Quote an argument as the desktop entry specification says: backslashes are escaped twice, and % is doubled."""
    escaped = "".join(f"\\{character}" if character in '"`$\\' else character for character in argument)
    return '"' + escaped.replace("\\", "\\\\").replace("%", "%%") + '"'
