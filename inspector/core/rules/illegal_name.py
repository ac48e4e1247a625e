"""A tool name that the provider does not take.

What it finds: a call whose tool has no name, or one with characters or a length that the provider in question refuses.
What another provider would say of it is told when asked (--profile). Gemini's responses name their tool, too. That a
name is not among the tools of the next request is no anomaly: no provider compares the history with them.
Why it hurts: one call with such a name (a model made it up, or a stream lost it) makes every later request fail.
Example: u | a{A@""} | r(A=x)
Repairs: normalise (the characters that are legal stay, else it becomes invalid_tool_call; the pair is kept, and the old
name is told as a loss; a response is named as its call), drop-call.
"""

from collections.abc import Iterator

from inspector.core.profiles.profile import unfit
from inspector.core.rules.rule import Hits, Row, Scene, Stage

CODE = "K7"
ROW = Row("illegal-name", Stage.CALL_FIELDS, ("normalise name", "drop-call", "leave"), by_profile=True, in_request=True)
_LONG = 64  # the length that most providers take
_SHOWN = 60


def find(scene: Scene) -> Hits:
    names = scene.columns.names
    illegal = unfit(map(names.__getitem__, scene.calls), scene.profile.names)
    for row in scene.calls if illegal else ():
        name = names[row] or ""
        if name in illegal and (name or _is_call(scene, scene.tool_of_row[row])):
            shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
            text = f"The name of the tool, {shown!r}, is not legal: {scene.profile.label} does not take it."
            text = text if name else "The call does not name its tool."
            case = "long" if len(name) > _LONG else "" if name else "empty"
            yield scene.hit(CODE, scene.tool_of_row[row], text, value=name, case=case)
    for call in _with_nameless_response(scene) if scene.profile.names else ():
        name = names[scene.pairing.rows[call]] or ""
        if name and name not in illegal:
            yield scene.hit(CODE, call, f"The response to the call to {name!r} does not name its tool.", case="empty")


def _with_nameless_response(scene: Scene) -> Iterator[int]:
    """The calls with a response that has no name, where the wire wants one."""
    names, rows = scene.columns.names, scene.pairing.rows
    if any(row.name and row.wants_name for row in scene.format.spelling.results) and "" in names:
        yield from (call for call, told in scene.bound.items() if any(names[rows[each]] == "" for each in told))


def _is_call(scene: Scene, tool: int) -> bool:
    """Whether a call without a name is one at all; an entry that is no object is told by class K3."""
    record, ordinal = scene.place(tool)
    return scene.format.block_bytes(scene.columns, record, scene.raw(record), ordinal).startswith(b"{")
