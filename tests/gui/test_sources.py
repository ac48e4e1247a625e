"""What the window's start spares."""

import importlib
import linecache
import sys

import pytest

from inspector.cli.window import disable_pyside_source_scan


def test_no_source_of_a_module_is_read_when_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    feature = importlib.import_module("shibokensupport.feature")
    monkeypatch.setattr(feature, "_mod_uses_pyside", feature._mod_uses_pyside)
    disable_pyside_source_scan()
    monkeypatch.delitem(sys.modules, "nturl2path", raising=False)
    monkeypatch.delitem(feature.pyside_feature_dict, "nturl2path", raising=False)
    read = set(linecache.cache)
    importlib.import_module("nturl2path")
    exec("import nturl2path")  # PySide looks at what a statement imports
    assert set(linecache.cache) == read
