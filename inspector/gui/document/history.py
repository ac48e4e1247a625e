"""Back and forward through the places that were visited, in this log and in those that were open before."""

from typing import NamedTuple

from inspector.core.showing.outline import Outline
from inspector.gui.document.node_keys import NodeKey, key_of

_KEPT = 500


class Visit(NamedTuple):
    """A place: a log, and what names its node in any state of it; without a path the list of logs."""

    path: str
    key: NodeKey | None


class History:
    """A walk from row to row, as with an arrow key, is one visit; whatever else makes a row current is another."""

    def __init__(self) -> None:
        self._visits: list[Visit] = []
        self._at = -1
        self._node = 0

    def visit(self, path: str, outline: Outline, node: int) -> None:
        """Note where the person is now. What lay ahead is forgotten."""
        visit = Visit(path, key_of(outline, node))
        now = self._visits[self._at] if self._visits else None
        if visit == now:
            self._node = node
            return
        if now is not None and now.path == path and self._is_step(outline, node):
            self._at -= 1
        self._visits[self._at + 1 :] = [visit]
        del self._visits[:-_KEPT]
        self._at, self._node = len(self._visits) - 1, node

    def visit_list(self) -> None:
        """Note that the list of logs is shown."""
        if self._at < 0 or self._visits[self._at].path:
            self._visits[self._at + 1 :] = [Visit("", None)]
            self._at = len(self._visits) - 1

    def go(self, forward: bool) -> Visit | None:
        """Where it goes back or on to, None where to nowhere. The place is that of the person from now on."""
        at = self._at + (1 if forward else -1)
        if not 0 <= at < len(self._visits):
            return None
        self._at, self._node = at, 0
        return self._visits[at]

    def can_go(self, forward: bool) -> bool:
        return 0 <= self._at + (1 if forward else -1) < len(self._visits)

    def _is_step(self, outline: Outline, node: int) -> bool:
        """Whether a node is the one beside, above or right below the one of the newest visit."""
        last, parent, first = self._node, outline.parent, outline.first
        if not 0 < last < len(outline):
            return False
        is_below, is_above = outline.count[last] and first[last] == node, parent[last] == node
        return bool(is_below or is_above or (abs(node - last) == 1 and parent[node] == parent[last]))
