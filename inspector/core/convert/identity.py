"""Ids of calls and names of tools as a provider takes them: what is legal stays, the rest is changed for the pair."""

import re

from inspector.core.convert.neutral import ConversionNotes, TurnPart
from inspector.core.formats.bases.new_ids import TakenIds, legal_id
from inspector.core.profiles.profile import Profile

_ILLEGAL_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME_LENGTH = 60
_ANYTHING = "(?s:.+)"


class IdMapper:
    """`once`: an id may be used once in the whole history; else once in a turn."""

    def __init__(self, profile: Profile, once: bool, notes: ConversionNotes) -> None:
        self.profile, self.unique_in_history, self.notes = profile, once, notes
        self._ids = profile.call_id_pattern or _ANYTHING
        self._taken = TakenIds()
        self._of_tool: dict[int, str] = {}

    def call_id(self, part: TurnPart, in_turn: TakenIds) -> str:
        """The id of a call, for good; `in_turn` are those of its own turn, to which it is added."""
        taken = self._taken if self.unique_in_history else in_turn
        legal = self._takes(part.call_id)
        new = part.call_id if legal and part.call_id not in taken else legal_id(part.call_id, self._ids, taken)
        self._taken.add(new)
        in_turn.add(new)
        if part.tool >= 0:
            self._of_tool[part.tool] = new
        if new != part.call_id:
            why = "the id is used before" if legal else "the provider does not take such an id"
            self.notes.add("adapted", "id", f"{why}; its result has the new one, too", part, f"{part.call_id} → {new}")
        return new

    def result_id(self, part: TurnPart) -> str:
        """The id of the call that a result answers; its own one where there is none."""
        known = self._of_tool.get(part.peer)
        if known is not None:
            return known
        return part.call_id if self._takes(part.call_id) else legal_id(part.call_id, self._ids, TakenIds())

    def tool_name(self, part: TurnPart) -> str:
        """The name of a call's tool."""
        name = part.name
        if name and re.fullmatch(self.profile.tool_name_pattern or _ANYTHING, name):
            return name
        new = _ILLEGAL_CHARACTERS.sub("_", name)[:_MAX_NAME_LENGTH] or "unnamed_tool"
        self.notes.add("adapted", "tool name", "the provider does not take such a name", part, f"{name} → {new}")
        return new

    def _takes(self, call_id: str) -> bool:
        """Whether the provider takes an id; none takes an empty one."""
        return bool(call_id) and re.fullmatch(self._ids, call_id) is not None
