"""Random sound histories, and the accidents that befall them."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from tests.support.notation import (
    PLACEHOLDER,
    TOOL,
    Call,
    History,
    Part,
    Result,
    ServerCall,
    ServerResult,
    Text,
    Thinking,
    Turn,
)
from tests.support.notation import show as in_notation


class Told(History):
    """A history that prints itself in the notation, so that a failing example is read at a glance."""

    def __repr__(self) -> str:
        return in_notation(self)


@st.composite
def sound(draw: st.DrawFn, thinking: bool = False, servers: bool = False) -> History:
    """A conversation of prompts, calls with all their results in any order, and answers. Every text is unique.

    With `thinking` some messages begin with a thought; with `servers` some hold a pair of the provider's own tools.
    """
    history = Told()
    number = 0
    for prompt in range(draw(st.integers(1, 4))):
        history.append(Turn("user", (Text(f"prompt-{prompt}-"),)))
        for _ in range(draw(st.integers(0, 3))):
            calls = [Call(f"call_{number + n}", input={"p": number + n}) for n in range(draw(st.integers(1, 3)))]
            said: tuple[Part, ...] = (Text(f"before-{number}-"),) if draw(st.booleans()) else ()
            if servers and draw(st.booleans()):
                said = (ServerCall(f"srv_{number}"), ServerResult(f"srv_{number}"), *said)
            if thinking and draw(st.booleans()):
                said = (Thinking(f"thought-{number}-"), *said)
            history.append(Turn("assistant", (*said, *calls)))
            results = [Result(call.id, f"output-{call.input['p']}-") for call in draw(st.permutations(calls))]
            history.append(Turn("user", tuple(results)))
            number += len(calls)
        history.append(Turn("assistant", (Text(f"answer-{prompt}-"),)))
    return history


Accident = Callable[[st.DrawFn, History], History]


def _places(history: History, kind: type) -> list[tuple[int, int]]:
    return [(t, p) for t, turn in enumerate(history) for p, part in enumerate(turn.parts) if isinstance(part, kind)]


def _edit(history: History, place: tuple[int, int], *parts: Part) -> History:
    """The history with other parts at this place; a turn that becomes empty goes."""
    at, part = place
    turn = history[at]
    turn = replace(turn, parts=turn.parts[:part] + parts + turn.parts[part + 1 :])
    return [*history[:at], *([turn] if turn.parts else []), *history[at + 1 :]]


def _one(draw: st.DrawFn, history: History, kind: type) -> tuple[tuple[int, int], Part] | None:
    places = _places(history, kind)
    if not places:
        return None
    at, part = draw(st.sampled_from(places))
    return (at, part), history[at].parts[part]


def delete(kind: type) -> Accident:
    def accident(draw: st.DrawFn, history: History) -> History:
        one = _one(draw, history, kind)
        return _edit(history, one[0]) if one else history

    return accident


def repeat_result(draw: st.DrawFn, history: History) -> History:
    """The same result once more, as it was or with another text, here or in a later turn."""
    one = _one(draw, history, Result)
    if one is None:
        return history
    (at, part), result = one
    assert isinstance(result, Result)
    again = replace(result, text=result.text + draw(st.sampled_from(["", "other-"])))
    if draw(st.booleans()):
        return _edit(history, (at, part), result, again)
    later = draw(st.integers(at + 1, len(history)))
    return [*history[:later], Turn("user", (again,)), *history[later:]]


def displace(draw: st.DrawFn, history: History) -> History:
    """A result arrives late: behind some later turns, or in front of its call."""
    one = _one(draw, history, Result)
    if one is None:
        return history
    place, result = one
    rest = _edit(history, place)
    at = draw(st.integers(1, len(rest)))
    return [*rest[:at], Turn("user", (result,)), *rest[at:]]


def rename_result(draw: st.DrawFn, history: History) -> History:
    one = _one(draw, history, Result)
    if one is None:
        return history
    place, result = one
    assert isinstance(result, Result)
    return _edit(history, place, replace(result, id=f"{result.id}x"))


def reuse_id(draw: st.DrawFn, history: History) -> History:
    """A later call and its result get the id of an earlier one, as small models do it."""
    calls = [part for turn in history for part in turn.of(Call)]
    if len(calls) < 2:
        return history
    first = draw(st.integers(0, len(calls) - 2))
    old, new = calls[draw(st.integers(first + 1, len(calls) - 1))].id, calls[first].id

    def renamed(part: Part) -> Part:
        return replace(part, id=new) if isinstance(part, Call | Result) and part.id == old else part

    return [replace(turn, parts=tuple(map(renamed, turn.parts))) for turn in history]


def insert_user(draw: st.DrawFn, history: History) -> History:
    at = draw(st.integers(1, len(history)))
    return [*history[:at], Turn("user", (Text(f"aside-{at}-{len(history)}-"),)), *history[at:]]


def insert_developer(draw: st.DrawFn, history: History) -> History:
    at = draw(st.integers(1, len(history)))
    return [*history[:at], Turn("developer", (Text(f"reminder-{at}-{len(history)}-"),)), *history[at:]]


def insert_placeholder(draw: st.DrawFn, history: History) -> History:
    """Some program's stand-in for a result, beside the real one or in a later turn."""
    one = _one(draw, history, Result)
    if one is None:
        return history
    (at, part), result = one
    assert isinstance(result, Result)
    stale = replace(result, text=draw(st.sampled_from(["aborted", PLACEHOLDER.format(TOOL)])))
    if draw(st.booleans()):
        return _edit(history, (at, part), *draw(st.permutations([result, stale])))
    later = draw(st.integers(at + 1, len(history)))
    return [*history[:later], Turn("user", (stale,)), *history[later:]]


def repeat_call(draw: st.DrawFn, history: History) -> History:
    """The same call once more in its turn, or another one under its id."""
    one = _one(draw, history, Call)
    if one is None:
        return history
    place, call = one
    assert isinstance(call, Call)
    return _edit(history, place, call, replace(call, input=draw(st.sampled_from([call.input, {"p": 900}]))))


def blank(draw: st.DrawFn, history: History) -> History:
    """A text of no length in front of the calls of an answer."""
    one = _one(draw, history, Call)
    if one is None:
        return history
    turn = history[one[0][0]]
    said = replace(turn, parts=(Text(""), *(part for part in turn.parts if not isinstance(part, Text))))
    return [*history[: one[0][0]], said, *history[one[0][0] + 1 :]]


def swap_turns(draw: st.DrawFn, history: History) -> History:
    if len(history) < 3:
        return history
    at = draw(st.integers(1, len(history) - 2))
    return [*history[:at], history[at + 1], history[at], *history[at + 2 :]]


def truncate(draw: st.DrawFn, history: History) -> History:
    return history[: draw(st.integers(1, len(history)))]


def behead(draw: st.DrawFn, history: History) -> History:
    """As a careless compaction does it: the prompt stays, some turns after it go."""
    return [history[0], *history[draw(st.integers(1, len(history))) :]]


ACCIDENTS: list[Accident] = [
    delete(Call),
    delete(Result),
    repeat_result,
    displace,
    displace,
    rename_result,
    reuse_id,
    repeat_call,
    insert_user,
    insert_placeholder,
    swap_turns,
    truncate,
    behead,
]


@st.composite
def damaged(
    draw: st.DrawFn, thinking: bool = False, servers: bool = False, developer: bool = False, blanks: bool = False
) -> History:
    """A sound history after one to four accidents, among them those that a format can hold."""
    accidents = [*ACCIDENTS]
    accidents += [insert_developer] if developer else []
    accidents += [blank] if blanks else []
    accidents += [delete(ServerCall), delete(ServerResult)] if servers else []
    accidents += [delete(Thinking)] if thinking else []
    history = draw(sound(thinking, servers))
    for accident in draw(st.lists(st.sampled_from(accidents), min_size=1, max_size=4)):
        history = accident(draw, history)
    return Told(history)
