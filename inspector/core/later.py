"""Modules that are imported when something is first asked of them: to judge a sound log takes few of them."""

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module until one of its names is asked for.

    Where it is used, the module is imported as well `if TYPE_CHECKING`, so that types and the import contracts see it.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._module), name)
        # The next time it is here.
        self.__dict__[name] = found
        return found
