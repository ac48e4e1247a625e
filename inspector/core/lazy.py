"""Modules and regexes that are loaded when they are first used. Checking a healthy log needs only a few of them."""

import re
from importlib import import_module
from typing import Any, cast, overload


class LazyModule:
    """A placeholder that imports its module when one of its names is first used.

    Import the module next to it `if TYPE_CHECKING`, so that type checks and import contracts see it.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        _refuse_special_name(name)
        member = getattr(import_module(self._module), name)
        # The next lookup does not come here.
        self.__dict__[name] = member
        return member


def _refuse_special_name(name: str) -> None:
    """Raise AttributeError for a name that ABCMeta reads of each attribute of a class, which would load it."""
    if name == "__isabstractmethod__":
        raise AttributeError(name)


class _LazyPattern:
    """A placeholder that compiles its regex when it is first used."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        _refuse_special_name(name)
        member = getattr(re.compile(self._text, self._flags), name)
        self.__dict__[name] = member
        return member


@overload
def lazy_regex(text: str, flags: int = 0) -> re.Pattern[str]: ...
@overload
def lazy_regex(text: bytes, flags: int = 0) -> re.Pattern[bytes]: ...
def lazy_regex(text: str | bytes, flags: int = 0) -> re.Pattern[str] | re.Pattern[bytes]:
    """Return a regex that is compiled when it is first used, for modules that every check imports."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))
