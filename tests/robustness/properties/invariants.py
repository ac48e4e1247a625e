"""What holds of every repair, each under its number in the catalogue of invariants: INVARIANTS is the table.

An invariant takes what is known of one repair and yields a sentence for each thing that breaks it. The histories in it
are what the agent's own reader loads; nothing of the product tells it what it wrote.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from tests.core.formats.written import IN_ORDER, WrittenFormat
from tests.robustness.properties.pairs import owners
from tests.robustness.properties.records import Contents, records_of
from tests.support.judges import JOINING, merged, server_error
from tests.support.notation import (
    PLACEHOLDER,
    PLACEHOLDER_START,
    Call,
    History,
    Odd,
    Result,
    Text,
    Thinking,
    Turn,
    show,
)
from tests.support.product import Answer
from tests.support.projection import OTHERS_PLACEHOLDERS, texts

ONE_HISTORY = ("anthropic", "bedrock-converse", "openai-responses")  # ids are unique over the whole request
BINDING = "anthropic-prefix-bound"
LEGAL = {"anthropic": r"[a-zA-Z0-9_-]+", "bedrock-converse": r"[a-zA-Z0-9_.:-]{1,64}", "openai-responses": r".{1,64}"}


@dataclass(frozen=True)
class Repaired:
    """One repair. `before` and `after` are loaded by the agent, `told` is the history that was written.

    `source`, `kept`, `out`, `twin` and `again` are what lies on disk: the log, the log after the repair, the output, a
    second output of the same log, and the repair of the output. `profile` is the one that was asked for, if any was.
    """

    written: WrittenFormat
    told: History
    before: History
    after: History
    answer: Answer
    source: Contents
    kept: Contents
    out: Contents
    twin: Contents
    again: Contents
    profile: str = ""

    @property
    def by_id(self) -> bool:
        """Whether the provider finds the result of a call by its id, wherever behind the call it stands."""
        return self.written.in_order is not None and self.profile != IN_ORDER

    @property
    def refusal(self) -> str | None:
        """What the provider that was asked for says of the outcome."""
        in_order = self.written.in_order if self.profile == IN_ORDER else None
        return (in_order or self.written.judge)(self.after)

    def turns(self, history: History) -> History:
        """As the provider divides a history into turns."""
        return merged(history) if self.written.provider in JOINING else history


Broken = Iterator[str]
Invariant = Callable[[Repaired], Broken]


def real(result: Result) -> bool:
    return not result.text.startswith(PLACEHOLDER_START) and result.text not in OTHERS_PLACEHOLDERS


def one_result_a_call(it: Repaired) -> Broken:
    """1"""
    answered = Counter(id(call) for result, (call, *_) in _bound(it.turns(it.after)))
    for turn in it.turns(it.after):
        yield from (f"{call} has {answered[id(call)]} results" for call in turn.of(Call) if answered[id(call)] != 1)


def results_lie_in_their_zone(it: Repaired) -> Broken:
    """2"""
    turns = [] if it.by_id else it.turns(it.after)
    for calls, zone in pairwise([*turns, Turn("user", ())]):
        ids = {result.id for result in zone.of(Result)}
        yield from (f"the result of {call} is not in the next turn" for call in calls.of(Call) if call.id not in ids)


def results_have_a_call_before_them(it: Repaired) -> Broken:
    """3"""
    turns = [] if it.by_id else it.turns(it.after)
    for calls, zone in pairwise([Turn("assistant", ()), *turns]):
        ids = Counter(call.id for call in calls.of(Call))
        for result in zone.of(Result):
            ids[result.id] -= 1
            if ids[result.id] < 0:
                yield f"{result} has no call in the turn before it"


def ids_are_unique(it: Repaired) -> Broken:
    """4"""
    whole = it.written.provider in ONE_HISTORY
    groups = [[call for turn in it.after for call in turn.of(Call)]] if whole else [turn.of(Call) for turn in it.after]
    for group in groups:
        yield from (f"{id_} names {n} calls" for id_, n in Counter(call.id for call in group).items() if n > 1)


def ids_are_legal_and_renamed_together(it: Repaired) -> Broken:
    """5"""
    pattern = LEGAL.get(it.written.provider, r".+")
    ids = [part.id for turn in it.after for part in turn.of(Call) + turn.of(Result)]
    yield from (f"the id {id_!r} is not legal" for id_ in ids if not re.fullmatch(pattern, id_))
    calls = {call.id for turn in it.after for call in turn.of(Call)}
    known = {part.id for turn in it.told for part in turn.of(Call) + turn.of(Result)}
    yield from (f"{id_} was renamed without its call" for id_ in {*ids} - calls - known)


def results_come_first(it: Repaired) -> Broken:
    """6"""
    alone = it.written.provider == "gemini"
    for turn in [] if it.by_id else it.turns(it.after):
        results = len(turn.of(Result))
        if any(not isinstance(part, Result) for part in turn.parts[:results]) or (
            alone and results not in (0, len(turn.parts))
        ):
            yield f"in {show([turn])} the results do not lead"


def results_keep_their_order(it: Repaired) -> Broken:
    """7"""
    told = [result.text for result in _results(it.before) if real(result)]
    order = {text: n for n, text in enumerate(told) if told.count(text) == 1}
    turns = it.turns(it.before)
    together = [{result.text for result in leading(calls, zone)} for calls, zone in pairwise(turns)]
    for turn in it.turns(it.after):
        for one, other in pairwise([r.text for r in turn.of(Result) if r.text in order]):
            if order[one] > order[other] and any({one, other} <= group for group in together):
                yield f"{one} and {other} changed places"


def leading(calls: Turn, zone: Turn) -> list[Result]:
    """The results that a turn begins with, as far as they are of the calls before it, and one a call."""
    asked = {call.id for call in calls.of(Call)}
    ids = Counter(result.id for result in zone.of(Result))
    first = takewhile(lambda p: isinstance(p, Result) and p.id in asked and ids[p.id] == 1, zone.parts)
    return [part for part in first if isinstance(part, Result)]


def nothing_blank_is_made(it: Repaired) -> Broken:
    """8"""

    def blanks(history: History) -> int:
        return sum(not turn.parts for turn in history) + sum(not p.text.strip() for t in history for p in t.of(Text))

    if blanks(it.after) > blanks(it.before):
        yield "a blank text or an empty message was made"


def the_user_begins(it: Repaired) -> Broken:
    """9"""
    if it.after and it.after[0].role != "user":
        yield f"{show(it.after[:1])} begins"


def roles_alternate(it: Repaired) -> Broken:
    """10"""
    yield from (f"{show([a, b])} follow one another" for a, b in pairwise(it.after) if a.role == b.role)


def no_message_of_thinking_alone_is_made(it: Repaired) -> Broken:
    """11"""

    def alone(history: History) -> set[str]:
        turns = [turn for turn in history if turn.role == "assistant" and turn.parts]
        return {show([turn]) for turn in turns if all(isinstance(part, Thinking) for part in turn.parts)}

    was = alone(it.before) | alone(it.turns(it.before))
    yield from (f"{turn} is left alone" for turn in alone(it.turns(it.after)) - was)


def reasoning_keeps_what_follows_it(it: Repaired) -> Broken:
    """12"""
    if it.profile == IN_ORDER:
        return  # OpenAI alone is known to keep reasoning, and to ask for what followed it

    def follower(history: History) -> dict[str, type]:
        turns = merged(history)
        return {
            one.text: type(two) for t in turns for one, two in pairwise([*t.parts, None]) if isinstance(one, Thinking)
        }

    for text, kind in follower(it.after).items():
        if kind is type(None) and follower(it.before).get(text) is not type(None):
            yield f"{text} has lost what followed it"


def no_reasoning_outlives_a_change_before_it(it: Repaired) -> Broken:
    """13"""
    if it.profile != BINDING:
        return
    before, after = ([part for turn in history for part in turn.parts] for history in (it.before, it.after))
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))))
    yield from (f"{part} stands behind a change" for part in after[same:] if isinstance(part, Thinking))


def the_newest_thinking_is_whole_or_gone(it: Repaired) -> Broken:
    """14"""
    newest = next((turn for turn in reversed(merged(it.after)) if turn.role == "assistant"), Turn("assistant", ()))
    said = [part for part in newest.parts if not isinstance(part, Thinking)]
    # What a repair parts stands in several messages, each of which is signed by itself.
    of_it = [turn for turn in it.before if turn.role == "assistant" and any(part in said for part in turn.parts)]
    thoughts = [thought for turn in of_it for thought in turn.of(Thinking)]
    kept = [thought for thought in newest.of(Thinking) if thought in thoughts]
    if kept and kept != thoughts:
        yield f"of {thoughts} only {kept} is left"


def server_pairs_stand_in_one_message(it: Repaired) -> Broken:
    """15"""
    if (unpaired := server_error(merged(it.after))) is not None:
        yield unpaired


def inputs_are_objects(it: Repaired) -> Broken:
    """16"""
    calls = [call for turn in it.after for call in turn.of(Call)]
    yield from (f"the input of {call} is no object" for call in calls if not isinstance(call.input, dict))


def sound_stays_the_same_bytes(it: Repaired) -> Broken:
    """17"""
    if (it.answer.session["verdict"] == "healthy" or not it.answer.edits) and it.out != it.source:
        yield "nothing was wrong, and the bytes differ"
    if it.answer.edits and it.out == it.source:
        yield "there are edits, and the bytes are the same"


def twice_is_once(it: Repaired) -> Broken:
    """18"""
    if it.again != it.out:
        yield "a second repair changes something"


def the_same_every_time(it: Repaired) -> Broken:
    """19"""
    if it.twin != it.out:
        yield "two repairs of one log differ"


def nothing_is_lost_silently(it: Repaired) -> Broken:
    """20"""
    loaded, kept, told = (" ".join(each) for each in (texts(it.before), texts(it.after), [it.answer.lost_text]))
    for text in filter(None, texts(it.told)):
        if text in kept or text in told or not is_stored(it.source, text):
            continue
        if text in loaded or not is_stored(it.out, text):  # what the agent passes over may stay where it is
            yield f"{text} is neither in the output nor in the loss report"


def no_result_changes_its_owner(it: Repaired) -> Broken:
    """21"""
    before, after = it.turns(it.told), it.turns(it.after)
    was: dict[str, list[Call]] = {}
    for result, calls in owners(before):
        was.setdefault(result.text, []).extend(calls)
    ids = {(result.text, result.id) for turn in before for result in turn.of(Result)}
    id_of = {str(call.input): call.id for turn in before for call in turn.of(Call)}
    for result, (call, *_) in owners(after):
        if not real(result):
            continue
        old = id_of.get(str(call.input))
        mine = (result.text, old) in ids and call.input in [each.input for each in was.get(result.text, [call])]
        if old is not None and not mine:
            yield f"{result.text} answers {call}"


def placeholders_are_honest(it: Repaired) -> Broken:
    """21"""
    old = {result.text for result in _results(it.told)}
    for result in _results(it.after):
        if result.text.startswith(PLACEHOLDER_START) and result.text not in old:
            words = PLACEHOLDER.split("{}")
            if not (result.text.startswith(words[0]) and result.text.endswith(words[1])):
                yield f"a placeholder says {result.text!r}"


def what_is_kept_keeps_its_order(it: Repaired) -> Broken:
    """22"""
    before, after = _said(it.before), _said(it.after)
    kept = [each for each in before if each in after]
    if (found := [each for each in after if each in kept]) != kept:
        yield f"{kept} became {found}"


def real_beats_synthetic(it: Repaired) -> Broken:
    """23"""
    inputs = [str(call.input) for turn in it.told for call in turn.of(Call)]
    had: dict[str, str] = {}
    for result, (call, *others) in owners(it.turns(it.told)):
        if real(result) and not others and is_stored(it.source, result.text) and inputs.count(str(call.input)) == 1:
            had[str(call.input)] = result.text
    for result, (call, *_) in owners(it.turns(it.after)):
        if not real(result) and str(call.input) in had:
            yield f"{call} has {result}, though {had[str(call.input)]} was there"


def waiting_calls_are_left(it: Repaired) -> Broken:
    """24"""
    waiting = {finding["call_id"] for finding in it.answer.findings if finding["rule"] == "D6"}
    answered = {result.id for result in _results(it.after) if result.text.startswith(PLACEHOLDER_START)}
    yield from (f"{id_} was waiting, and is answered" for id_ in waiting & answered)


def untouched_records_are_the_same_bytes(it: Repaired) -> Broken:
    """25"""
    old = records_of(it.source)
    new = [record for record in records_of(it.out) if record not in old]
    # The count of a session's messages, which `load` compares with them, changes as a trigger would change it.
    counts = {record for record in new if it.written.counts_messages and record.startswith(b'INSERT INTO "sessions"')}
    if len(counts) > 1 or len(new) - len(counts) > len(it.answer.edits):
        yield f"{len(new)} records differ, {len(it.answer.edits)} edits are named: {new}"


def the_log_is_left_alone(it: Repaired) -> Broken:
    """26"""
    if it.kept != it.source:
        yield "the log itself was written to"


NUMBERED: tuple[tuple[int, Invariant], ...] = (
    (1, one_result_a_call),
    (2, results_lie_in_their_zone),
    (3, results_have_a_call_before_them),
    (4, ids_are_unique),
    (5, ids_are_legal_and_renamed_together),
    (6, results_come_first),
    (7, results_keep_their_order),
    (8, nothing_blank_is_made),
    (9, the_user_begins),
    (10, roles_alternate),
    (11, no_message_of_thinking_alone_is_made),
    (12, reasoning_keeps_what_follows_it),
    (13, no_reasoning_outlives_a_change_before_it),
    (14, the_newest_thinking_is_whole_or_gone),
    (15, server_pairs_stand_in_one_message),
    (16, inputs_are_objects),
    (17, sound_stays_the_same_bytes),
    (18, twice_is_once),
    (19, the_same_every_time),
    (20, nothing_is_lost_silently),
    (21, no_result_changes_its_owner),
    (21, placeholders_are_honest),
    (22, what_is_kept_keeps_its_order),
    (23, real_beats_synthetic),
    (24, waiting_calls_are_left),
    (25, untouched_records_are_the_same_bytes),
    (26, the_log_is_left_alone),
)

# Which do not apply, by provider or format, and why. What is not named here is checked.
_NO_ALTERNATION = "neighbours of one role are read as one turn, or taken as they stand"
_NOT_FIRST = "the history may begin with an answer"
_NOT_BOUND = "reasoning is not bound to what comes before it"
_NO_FOLLOWERS = "reasoning is a block of a message, not an item that needs one behind it"
NOT_APPLICABLE: dict[Invariant, dict[str, str]] = {
    results_keep_their_order: dict.fromkeys(("gemini-cli", "opencode"), "a result stands in its call"),
    the_user_begins: dict.fromkeys(("openai-chat", "openai-responses", "gemini"), _NOT_FIRST),
    roles_alternate: dict.fromkeys(
        ("anthropic", "openai-chat", "openai-responses", "gemini", "strands"), _NO_ALTERNATION
    ),
    no_message_of_thinking_alone_is_made: {"openai-responses": "reasoning is an item by itself; 12 is asked of it"},
    reasoning_keeps_what_follows_it: dict.fromkeys(
        ("anthropic", "bedrock-converse", "openai-chat", "gemini"), _NO_FOLLOWERS
    ),
    no_reasoning_outlives_a_change_before_it: dict.fromkeys(
        ("bedrock-converse", "openai-chat", "openai-responses", "gemini", "neovate", "opencode"), _NOT_BOUND
    ),
    ids_are_legal_and_renamed_together: {"gemini": "an id may be left out"},
}


def applies(invariant: Invariant, written: WrittenFormat) -> bool:
    why = NOT_APPLICABLE.get(invariant, {})
    return written.provider not in why and written.name not in why


def broken(it: Repaired) -> list[str]:
    """Every invariant that this repair breaks, as sentences."""
    return [
        f"invariant {number}, {invariant.__name__}: {sentence}"
        for number, invariant in NUMBERED
        if applies(invariant, it.written)
        for sentence in invariant(it)
    ]


def _results(history: History) -> list[Result]:
    return [result for turn in history for result in turn.of(Result)]


def _bound(history: History) -> Iterator[tuple[Result, list[Call]]]:
    """Results with their calls, first in, first out where a turn uses an id twice."""
    taken: Counter[int] = Counter()
    for result, calls in owners(history):
        free = [call for call in calls if not taken[id(call)]] or calls
        taken[id(free[0])] += 1
        yield result, free


def _said(history: History) -> list[str]:
    """The texts and the calls in their order; those that occur once."""
    found = [
        part.text if isinstance(part, Text) else str(part.input)
        for t in history
        for part in t.parts
        if isinstance(part, Text | Call)
    ]
    return [each for each in found if found.count(each) == 1]


def is_stored(contents: Contents, text: str) -> bool:
    """Whether a log holds a text: an agent does not write what it has no place for."""
    return any(text.encode() in each for file in contents.values() for each in _bytes(file))


def _bytes(content: bytes | list[str]) -> Iterable[bytes]:
    return [content] if isinstance(content, bytes) else (row.encode() for row in content)


def without_odd(history: History) -> History:
    """What an agent's reader takes of a history."""
    turns = [replace(turn, parts=tuple(part for part in turn.parts if not isinstance(part, Odd))) for turn in history]
    return [turn for turn in turns if turn.parts]
