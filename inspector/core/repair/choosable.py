"""Whether there is what a person chose: the preset, the provider, the rules, and what can be done about each."""

from inspector.core.errors import UnknownName
from inspector.core.profiles import profile_named
from inspector.core.repair.choices import Choices
from inspector.core.repair.offers import ADOPT_STRATEGY
from inspector.core.repair.presets import preset_named
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES


def validate_choices(choices: Choices) -> None:
    """Raises UnknownName when a preset, rule, strategy or profile does not exist or does not fit."""
    preset_named(choices.preset)
    if choices.profile:
        profile_named(choices.profile)
    if choices.wording and not choices.wording.strip():
        raise UnknownName("A wording needs words: some providers refuse a result that is blank.")
    try:
        choices.wording.encode()
    except UnicodeEncodeError as error:
        raise UnknownName("The wording holds what is no character: bytes that are no UTF-8, or half of one.") from error
    _check_rules(choices.rules)
    for session in choices.sessions.values():
        if session.preset:
            preset_named(session.preset)
        _check_rules(session.rules)
    for finding, strategy in choices.findings.items():
        if strategy not in STRATEGIES:
            raise UnknownName(f"There is no strategy called {strategy} (chosen for {finding}).")
        rule = finding.partition(":")[0]
        if rule in RULES:
            _require_allowed(finding, rule, strategy)


def _check_rules(rules: dict[str, str]) -> None:
    for rule, strategy in rules.items():
        if rule not in RULES:
            raise UnknownName(f"The rule {rule} does not exist; `rules` lists what there is.")
        _require_allowed(rule, rule, strategy)


def _require_allowed(what: str, rule: str, strategy: str) -> None:
    """Raises UnknownName where a class, or a finding of it, cannot be repaired so."""
    if strategy not in (allowed := _allowed(rule)):
        raise UnknownName(f"{what} cannot be repaired by {strategy}; it can by {', '.join(allowed)}.")


def _allowed(rule: str) -> tuple[str, ...]:
    """What can be chosen for a class: for open calls also the result of another log, where one is offered."""
    strategies = RULES[rule].strategies
    return (*strategies, ADOPT_STRATEGY) if RULES[rule].adopts else strategies
