"""Modules and regexes that are loaded when they are first used: judging a sound log takes few of them."""

import re
from importlib import import_module
from typing import Any, cast, overload


class LazyModule:
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


class _LazyPattern:
    """Stands for a regex until it is first used."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        self.__dict__[name] = found
        return found


@overload
def lazy_regex(text: str, flags: int = 0) -> re.Pattern[str]: ...
@overload
def lazy_regex(text: bytes, flags: int = 0) -> re.Pattern[bytes]: ...
def lazy_regex(text: str | bytes, flags: int = 0) -> re.Pattern[str] | re.Pattern[bytes]:
    """A regex that is compiled when it is first used, for modules that every check imports."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))
