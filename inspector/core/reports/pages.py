"""The help pages: of a rule, with what each provider answers and each repair costs, and of a preset."""

from collections.abc import Iterator

from inspector.core.errors import UnknownName
from inspector.core.judging.costs import Cost, sort_by_cost, strategy_cost
from inspector.core.known_texts.placeholders import FILLER_MESSAGES, OUR_PLACEHOLDER
from inspector.core.profiles import PROFILES
from inspector.core.profiles.profile import Profile
from inspector.core.repair.presets import preset_named
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES
from inspector.core.rules.rule import Rule
from inspector.core.showing.answers import RulePage

_SAMPLE_VALUES = {"message": "N", "after": "N+1", "block": "M", "id": "ID"}


def rule_named(name: str) -> Rule:
    """A rule by its code or its slug. Raises UnknownName."""
    wanted = name.strip()
    for code, rule in RULES.items():
        if wanted.upper() == code or wanted.lower() == rule.slug:
            return rule
    raise UnknownName(f"There is no rule called {wanted!r}; `rules` lists them.")


def build_rule_page(rule: Rule) -> RulePage:
    """The page of a rule."""
    return RulePage(
        code=rule.code,
        slug=rule.slug,
        text=rule.help,
        default=rule.strategy,
        answers=tuple((profile.name, text) for profile in PROFILES.values() for text in _texts(profile, rule.code)),
        repairs=tuple(
            (name, STRATEGIES[name].summary, strategy_cost(name, rule.code).label)
            for name in sort_by_cost(rule.strategies, rule.code)
        ),
    )


def rule_page_lines(page: RulePage) -> Iterator[str]:
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
            yield text.format_map(_SAMPLE_VALUES)


def preset_lines(preset_name: str) -> Iterator[str]:
    """What a preset does about every class, in which words, what it loses, and what it leaves. Raises UnknownName."""
    preset = preset_named(preset_name)
    yield f"{preset.name}: {preset.summary}"
    if preset.imitates:
        yield f"Imitates {preset.imitates}: {preset.source}"
    doing: dict[str, list[str]] = {}
    for code, rule in RULES.items():
        doing.setdefault(preset.strategy_of(code) or rule.strategy, []).append(code)
    yield ""
    yield "What it does:"
    for name in sort_by_cost(tuple(doing)):
        yield f"  {name:17}{STRATEGIES[name].summary} {' '.join(sorted(doing[name]))}"
    yield ""
    yield f"In these words: {preset.wording}"
    if preset.wording != OUR_PLACEHOLDER:
        yield "  --wording honest takes ours instead."
    if preset.imitates and (others := FILLER_MESSAGES.get(preset.name)):
        yield f"  {preset.imitates} also writes, as messages, what this preset does not: {' · '.join(others)}"
    costs = sorted({strategy_cost(name, code) for name, codes in doing.items() for code in codes} - {Cost.NOTHING})
    yield f"It costs, where it applies: {', '.join(cost.label for cost in costs) or 'nothing'}."
    if left := sorted(code for code in doing.get("leave", ()) if RULES[code].strategy != "leave"):
        yield f"It leaves, so that nothing is written for a provider that refuses them: {' '.join(left)}"
    if preset.caveat:
        yield preset.caveat
