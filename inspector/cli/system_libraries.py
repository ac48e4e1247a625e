"""System libraries that the files of Qt need, and the Debian packages that contain them.

Qt ends the process when its plugin for the display cannot be loaded, so the plugin is tried first. A test compares the
table with what `ldd` lists for Qt's files. Run as a script, this prints the packages; it needs nothing but Python.
"""

import ctypes
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE_BY_LIBRARY = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
_LIBRARY = re.compile(r"lib[\w.+-]+\.so[\d.]*")
_NOT_FOUND = re.compile(r"^\s*(\S+) => not found$", re.MULTILINE)


def debian_packages_of(libraries: list[str] | None = None) -> list[str]:
    """Return the Debian packages of libraries, of all by default. Libraries that are not in the table are left out."""
    names = PACKAGE_BY_LIBRARY if libraries is None else libraries
    return sorted({PACKAGE_BY_LIBRARY[name] for name in names if name in PACKAGE_BY_LIBRARY})


def how_to_install(missing: list[str]) -> str:
    """Return the command to run on Debian, and the libraries whose packages are not known."""
    unknown = sorted({name for name in missing if name not in PACKAGE_BY_LIBRARY})
    known = debian_packages_of(missing)
    return "; and ".join(filter(None, (f"apt install {' '.join(known)}" if known else "", ", ".join(unknown))))


def missing_libraries() -> list[str]:
    """Return the libraries that the plugin for this display lacks. Without them the window cannot open."""
    if not sys.platform.startswith("linux"):
        return []
    plugins = [folder / f"libq{name}.so" for folder in _plugin_folder() for name in _platforms()]
    lacks = [_lacks(plugin) for plugin in plugins if plugin.is_file()]
    return lacks[0] if lacks and all(lacks) else []


def _plugin_folder() -> list[Path]:
    """Return where the wheel of PySide6 keeps the plugins. A PySide6 of the system has no such folder."""
    spec = find_spec("PySide6")
    folders = spec.submodule_search_locations if spec else None
    return [Path(folder, "Qt", "plugins", "platforms") for folder in folders or ()]


def _platforms() -> list[str]:
    """Return the platforms that Qt tries, in order."""
    requested = os.environ.get("QT_QPA_PLATFORM", "")
    if requested:
        return [platform.partition(":")[0] for platform in requested.split(";")]
    on_wayland = ["wayland"] if os.environ.get("WAYLAND_DISPLAY") else []
    return on_wayland + (["xcb"] if os.environ.get("DISPLAY") or not on_wayland else [])


def _lacks(plugin: Path) -> list[str]:
    """Return the libraries that a plugin lacks: all that `ldd` reports, else the one of the load error."""
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return _not_found(plugin) or _LIBRARY.findall(str(error))[:1] or [plugin.name]
    return []


def _not_found(plugin: Path) -> list[str]:
    try:
        output = subprocess.run(["ldd", str(plugin)], capture_output=True, text=True, check=False).stdout
    except OSError:
        return []
    return sorted(set(_NOT_FOUND.findall(output)))


if __name__ == "__main__":
    print(" ".join(debian_packages_of()))
