"""What Qt's own files need of the system is in the table, and what is missing is named with its package."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from inspector.cli import system_libraries
from inspector.cli.system_libraries import PACKAGE_BY_LIBRARY, debian_packages_of, how_to_install

# What every Debian has before anything is installed, with the C++ library that Python's own packages bring.
BASE = {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "libstdc++.so.6"}
PLUGINS = (
    "platforms/libqxcb.so",
    "platforms/libqoffscreen.so",
    "platforms/libqwayland.so",
    "xcbglintegrations/*.so",
    "wayland-graphics-integration-client/libqt-plugin-wayland-egl.so",
    "wayland-shell-integration/libxdg-shell.so",
    "wayland-decoration-client/*.so",
    "iconengines/*.so",
)
MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg")


def listed(path: Path | str) -> dict[str, str]:
    """The libraries that `ldd` lists for a file, and where each is; "" where it is not."""
    lines = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout.splitlines()
    found = [line.split() for line in lines if "=>" in line]
    return {words[0]: words[2] if words[2].startswith("/") else "" for words in found}


@pytest.mark.skipif(shutil.which("ldd") is None, reason="there is no ldd on this system")
def test_the_table_covers_what_qt_needs() -> None:
    spec = find_spec("PySide6")
    assert spec is not None
    assert spec.origin is not None
    home = Path(spec.origin).parent
    files = [file for plugin in PLUGINS for file in (home / "Qt" / "plugins").glob(plugin)]
    files += [file for module in MODULES for file in home.glob(f"{module}.*.so")]
    assert len(files) > len(MODULES)
    needed: dict[str, str] = {}
    for file in files:
        needed |= {name: where for name, where in listed(file).items() if not where.startswith(str(home.parent))}
    # What a package of the table needs in its turn is for that package to name.
    implied = {each for name, where in needed.items() if name in PACKAGE_BY_LIBRARY and where for each in listed(where)}
    assert sorted(needed.keys() - PACKAGE_BY_LIBRARY.keys() - BASE - implied) == []
    assert sorted(PACKAGE_BY_LIBRARY.keys() - needed.keys()) == [], "no file of Qt needs these any more"


def test_the_packages_are_printed_by_a_script_and_by_the_program(root: Path) -> None:
    printed = [
        subprocess.run([sys.executable, *command], cwd=root, capture_output=True, text=True, check=True).stdout.split()
        for command in (["-I", "inspector/cli/system_libraries.py"], ["-m", "inspector", "--system-packages"])
    ]
    assert printed == [debian_packages_of(), debian_packages_of()]
    assert "libxcb-shape0" in debian_packages_of()


def test_what_a_plugin_lacks_is_named_with_its_packages(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin that does not load, in the place of Qt's own; `ldd` knows all that it lacks."""
    (tmp_path / "libqxcb.so").write_bytes(b"no library")
    ldd = tmp_path / "ldd"
    ldd.write_text("#!/bin/sh\necho '\tlibxcb-shape.so.0 => not found'\necho '\tlibodd.so.3 => not found'\n")
    ldd.chmod(0o755)
    monkeypatch.setattr(system_libraries, "_plugin_folder", lambda: [tmp_path])
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    missing = system_libraries.missing_libraries()
    assert missing == ["libodd.so.3", "libxcb-shape.so.0"]
    assert how_to_install(missing) == "apt install libxcb-shape0; and libodd.so.3"


def test_a_platform_that_loads_is_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = system_libraries._plugin_folder()
    for name in ("libqwayland.so", "libqoffscreen.so"):
        (tmp_path / name).symlink_to(real[0] / name)
    (tmp_path / "libqxcb.so").write_bytes(b"no library")
    monkeypatch.setattr(system_libraries, "_plugin_folder", lambda: [tmp_path])
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb;offscreen")
    assert system_libraries.missing_libraries() == []
