"""Strategies that the person named and that did nothing, or something else: none of them is dropped in silence."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from inspector.core.index.session import Session
from inspector.core.known_texts.amounts import count_phrase
from inspector.core.repair.choices import Choices
from inspector.core.repair.taken import StrategyResolver
from inspector.core.rules import RULES


class UnusedChoice(Struct, frozen=True):
    """A strategy as it was named ("D2=drop-call"), for one session ("" for all of them), and what became of it."""

    strategy: str
    session: str
    sentence: str


def unused_choices(choices: Choices, taken: StrategyResolver, sessions: list[Session]) -> Iterator[UnusedChoice]:
    """What of the choices met no finding, and what did not fit those that it met."""
    met = {tuple(identity.split(":", 2)[:2]) for identity in taken.chosen}
    rules = {rule for rule, _ in met}
    for rule, strategy in choices.rules.items():
        if rule not in rules:
            yield UnusedChoice(f"{rule}={strategy}", "", _no_finding_sentence(rule, strategy, "in this log"))
    for identity, strategy in choices.findings.items():
        if identity not in taken.chosen:
            yield UnusedChoice(f"{identity}={strategy}", "", _finding_gone_sentence(identity, strategy))
    number_of = {name: str(each.number) for each in sessions for name in (str(each.number), each.id)}
    for session, choice in choices.sessions.items():
        for rule, strategy in choice.rules.items():
            if (rule, number_of.get(session, session)) not in met:
                yield UnusedChoice(
                    f"{rule}={strategy}", session, _no_finding_sentence(rule, strategy, f"in session {session}")
                )
    unfit = (
        (identity.partition(":")[0], named, taken.chosen[identity]) for identity, named in taken.inapplicable.items()
    )
    for (rule, named, instead), count in Counter(unfit).items():
        done = "left as it is" if instead == "leave" else f"{instead} is done there"
        yield UnusedChoice(
            f"{rule}={named}", "", f"{rule}={named} does not fit {count_phrase(count, 'finding')} of {rule}: {done}."
        )


def _finding_gone_sentence(identity: str, strategy: str) -> str:
    rule = identity.partition(":")[0]
    slug = RULES[rule].slug if rule in RULES else ""
    return f"{strategy} was chosen for a finding of {rule} {slug} that this log does not have: it does nothing."


def _no_finding_sentence(rule: str, strategy: str, where: str) -> str:
    return f"{rule}={strategy} was chosen, and there is no {rule} {RULES[rule].slug} {where}: it does nothing."
