"""The help pages: of a rule, with what each provider answers and each repair costs, and of a preset."""

from collections.abc import Iterator

from inspector.core.errors import UnknownName
from inspector.core.judging.costs import Cost, cheapest_first, cost_of
from inspector.core.known_texts.placeholders import HONEST, STAND_INS
from inspector.core.profiles import PROFILES
from inspector.core.profiles.profile import Profile
from inspector.core.repair.presets import preset_named
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES
from inspector.core.rules.rule import Rule
from inspector.core.showing.answers import RulePage

_IN_A_TEXT = {"message": "N", "after": "N+1", "block": "M", "id": "ID"}


def rule_named(name: str) -> Rule:
    """A rule by its code or its slug. Raises UnknownName."""
    wanted = name.strip()
    for code, rule in RULES.items():
        if wanted.upper() == code or wanted.lower() == rule.slug:
            return rule
    raise UnknownName(f"There is no rule called {wanted!r}; `rules` lists them.")


def page_of(rule: Rule) -> RulePage:
    """The page of a rule."""
    return RulePage(
        code=rule.code,
        slug=rule.slug,
        text=rule.help,
        default=rule.strategy,
        answers=tuple((profile.name, text) for profile in PROFILES.values() for text in _texts(profile, rule.code)),
        repairs=tuple(
            (name, STRATEGIES[name].summary, cost_of(name, rule.code).words)
            for name in cheapest_first(rule.strategies, rule.code)
        ),
    )


def rule_lines(page: RulePage) -> Iterator[str]:
    """A page as text."""
    yield f"{page.code} {page.slug}"
    yield page.text
    if page.answers:
        yield ""
        yield "What each provider would answer:"
        for profile, text in page.answers:
            yield f"  {profile:24}{text}"
    yield ""
    yield f"What can be done, the cheapest first (default: {page.default}):"
    for name, summary, cost in page.repairs:
        yield f"  {name:17}{summary} Costs: {cost}."


def _texts(profile: Profile, code: str) -> Iterator[str]:
    """The texts for a class, and for its single cases where these have their own."""
    for key, text in profile.refusals.items():
        if key.partition(" ")[0] == code:
            yield text.format_map(_IN_A_TEXT)


def preset_lines(wanted: str) -> Iterator[str]:
    """What a preset does about every class, in which words, what it loses, and what it leaves. Raises UnknownName."""
    preset = preset_named(wanted)
    yield f"{preset.name}: {preset.summary}"
    if preset.system:
        yield f"Imitates {preset.system}: {preset.source}"
    doing: dict[str, list[str]] = {}
    for code, rule in RULES.items():
        doing.setdefault(preset.strategy_of(code) or rule.strategy, []).append(code)
    yield ""
    yield "What it does:"
    for name in cheapest_first(tuple(doing)):
        yield f"  {name:17}{STRATEGIES[name].summary} {' '.join(sorted(doing[name]))}"
    yield ""
    yield f"In these words: {preset.wording}"
    if preset.wording != HONEST:
        yield "  --wording honest takes ours instead."
    if preset.system and (others := STAND_INS.get(preset.name)):
        yield f"  {preset.system} also writes, as messages, what this preset does not: {' · '.join(others)}"
    costs = sorted({cost_of(name, code) for name, codes in doing.items() for code in codes} - {Cost.NOTHING})
    yield f"It costs, where it applies: {', '.join(cost.words for cost in costs) or 'nothing'}."
    if left := sorted(code for code in doing.get("leave", ()) if RULES[code].strategy != "leave"):
        yield f"It leaves, so that nothing is written for a provider that refuses them: {' '.join(left)}"
    if preset.caveat:
        yield preset.caveat
