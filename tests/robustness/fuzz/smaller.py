"""A smaller log that fails in the same way: fewer files, fewer lines, fewer values, shorter texts, fewer bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from tests.robustness.fuzz.mutations.picking import places
from tests.robustness.fuzz.tree import Spelling, Tree
from tests.robustness.fuzz.trial import Trial

Fails = Callable[[Trial], bool]
T = TypeVar("T")

TRIES = 600
_SHORT = 12


class _Enough(Exception):
    """The tries are used up."""


def smaller(trial: Trial, fails: Fails, tries: int = TRIES) -> Trial:
    """The smallest trial that was found to fail as well within so many tries."""
    search = _Search(trial, fails, tries)
    try:
        for step in (
            search.fewer_files,
            search.fewer_lines,
            search.fewer_values,
            search.shorter_texts,
            search.fewer_bytes,
        ):
            step()
    except _Enough:
        pass
    return search.best


def fewest(items: list[T], fails: Callable[[list[T]], bool]) -> list[T]:
    """As few of the items as still fail: halves are left out, then quarters, down to single ones."""
    size = max(len(items) // 2, 1)
    while size and items:
        at = 0
        while at < len(items):
            fewer = items[:at] + items[at + size :]
            if fails(fewer):
                items = fewer
            else:
                at += size
        size //= 2
    return items


class _Search:
    def __init__(self, trial: Trial, fails: Fails, tries: int) -> None:
        self.best, self.fails, self.left = trial, fails, tries

    @property
    def data(self) -> bytes:
        return self.best.files[self.best.changed]

    def fewer_files(self) -> None:
        for name in [name for name in self.best.files if name not in (self.best.changed, self.best.log)]:
            self._try(replace(self.best, files={key: data for key, data in self.best.files.items() if key != name}))

    def fewer_lines(self) -> None:
        fewest(self.data.split(b"\n"), lambda lines: self._holds(b"\n".join(lines)))

    def fewer_values(self) -> None:
        """Outermost first: what goes with its holder need not be tried by itself."""
        tree = self._tree()
        at = 0
        while tree is not None and at < len(found := [*places(tree.values)]):
            holder, key = found[at]
            held = list(holder.items()) if isinstance(holder, dict) else list(holder)
            del holder[key]
            if not self._holds(tree.write(Spelling())):
                _restore(holder, held)
                at += 1

    def shorter_texts(self) -> None:
        tree = self._tree()
        for holder, key in _long_texts(tree.values if tree is not None else []):
            text = holder[key]
            holder[key] = text[:_SHORT]
            if tree is not None and not self._holds(tree.write(Spelling())):
                holder[key] = text

    def fewer_bytes(self) -> None:
        fewest([self.data[at : at + 1] for at in range(len(self.data))], lambda each: self._holds(b"".join(each)))

    def _tree(self) -> Tree | None:
        """The log as values, None where it fails only as it is spelled."""
        tree = Tree.read(self.data)
        return tree if tree is not None and self._holds(tree.write(Spelling()), always=True) else None

    def _holds(self, data: bytes, always: bool = False) -> bool:
        return self._try(replace(self.best, files={**self.best.files, self.best.changed: data}), always)

    def _try(self, trial: Trial, always: bool = False) -> bool:
        """Whether it fails, and is no larger (or is wanted as a beginning all the same)."""
        if not self.left:
            raise _Enough
        self.left -= 1
        if not (always or trial.size <= self.best.size) or not self.fails(trial):
            return False
        self.best = trial
        return True


def _restore(holder: Any, held: list[Any]) -> None:
    holder.clear()
    if isinstance(holder, dict):
        holder.update(held)
    else:
        holder.extend(held)


def _long_texts(values: list[Any]) -> Iterator[tuple[Any, Any]]:
    for holder, key in [*places(values)]:
        if isinstance(holder[key], str) and len(holder[key]) > _SHORT:
            yield holder, key
