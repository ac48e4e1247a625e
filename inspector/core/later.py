"""What is loaded when something is first asked of it, modules, tables and regexes: to judge a sound log takes few."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar, cast, overload

T = TypeVar("T")


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


class LaterTable(Mapping[str, T], Generic[T]):
    """Values by names that are known at once; `load` makes the one of a name when it is first asked for."""

    def __init__(self, names: Iterable[str], load: Callable[[str], T]) -> None:
        self._load = load
        self._loaded: dict[str, T | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> T:
        value = self._loaded[name]
        if value is None:
            value = self._loaded[name] = self._load(name)
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._loaded

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)


class _Pattern:
    """Stands for a regex until it is first used."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        self.__dict__[name] = found
        return found


@overload
def regex(text: str, flags: int = 0) -> re.Pattern[str]: ...
@overload
def regex(text: bytes, flags: int = 0) -> re.Pattern[bytes]: ...
def regex(text: str | bytes, flags: int = 0) -> re.Pattern[str] | re.Pattern[bytes]:
    """A regex that is compiled when it is first used, for modules that every check imports."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
