"""Ids of calls and names of tools as a provider takes them: what is legal stays, the rest is changed for the pair."""

from __future__ import annotations

import re

from inspector.core.convert.neutral import Notes, Part
from inspector.core.profiles.profile import Profile

_ODD = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 60


class Identity:
    """`once`: an id may be used once in the whole history; else once in a turn."""

    def __init__(self, profile: Profile, once: bool, notes: Notes) -> None:
        self.profile, self.once, self.notes = profile, once, notes
        self._taken: set[str] = set()
        self._of_tool: dict[int, str] = {}

    def of_call(self, part: Part, in_turn: set[str]) -> str:
        """The id of a call, for good; `in_turn` are those of its own turn, to which it is added."""
        taken = self._taken if self.once else in_turn
        wanted = self._legal(part.call_id)
        new, number = wanted, 1
        while new in taken:
            number += 1
            new = f"{wanted}_{number}"
        self._taken.add(new)
        in_turn.add(new)
        if part.tool >= 0:
            self._of_tool[part.tool] = new
        if new != part.call_id:
            why = "the id is used before" if wanted == part.call_id else "the provider does not take such an id"
            self.notes.add("adapted", "id", f"{why}; its result has the new one, too", part, f"{part.call_id} → {new}")
        return new

    def of_result(self, part: Part) -> str:
        """The id of the call that a result answers; its own one where there is none."""
        return self._of_tool.get(part.peer) or self._legal(part.call_id)

    def name(self, part: Part) -> str:
        """The name of a call's tool."""
        name = part.name
        if name and re.fullmatch(self.profile.names or "(?s:.+)", name):
            return name
        new = _ODD.sub("_", name)[:_LONGEST] or "unnamed_tool"
        self.notes.add("adapted", "tool name", "the provider does not take such a name", part, f"{name} → {new}")
        return new

    def _legal(self, call_id: str) -> str:
        if call_id and re.fullmatch(self.profile.ids or "(?s:.+)", call_id):
            return call_id
        return _ODD.sub("_", call_id)[:_LONGEST] or "call"
