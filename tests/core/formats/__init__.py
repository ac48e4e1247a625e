"""How the tests write and load every format: FORMATS is the table, a module a format, which is in it by being here.

WRITABLE are those that hold calls and are written back, with the further containers (CONTAINERS) of each.

A module knows two things, neither by way of the product: how the agent writes a history (`write`), and how the agent
loads what lies on disk (`load`, the reference fold, from the documented algorithm that its docstring names).
"""

from importlib import import_module
from pkgutil import iter_modules

from tests.core.formats.written import WrittenFormat

MODULES = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__) if "test_" not in each.name]

FORMATS: dict[str, WrittenFormat] = {
    module.FORMAT.name: module.FORMAT for module in MODULES if hasattr(module, "FORMAT")
}

WRITABLE: dict[str, WrittenFormat] = {
    name: written for name, written in FORMATS.items() if written.holds_calls and written.written_back
}
for module in MODULES:
    WRITABLE |= getattr(module, "CONTAINERS", {})
