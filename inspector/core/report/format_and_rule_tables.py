"""List formats, rules, strategies, presets, wordings and profiles as text tables, and describe each rule and preset."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from inspector.core.check.strategy_costs import CostLevel, sort_by_cost, strategy_cost
from inspector.core.errors import UnknownName
from inspector.core.formats import FORMATS, known_format_named
from inspector.core.formats.base.agent_behavior import RequestBuilder
from inspector.core.formats.base.format import Format
from inspector.core.formats.base.lost_results import LostResultSource
from inspector.core.formats.base.stores import StorePattern
from inspector.core.formats.base.writer import Writer
from inspector.core.presentation.engine_results import RulePage
from inspector.core.providers.placeholders import FILLER_MESSAGES, OUR_PLACEHOLDER_TEXT, PLACEHOLDER_WORDINGS
from inspector.core.providers.profile import Profile
from inspector.core.providers.registry import PROFILES, TEMPLATE_PROFILES
from inspector.core.repair.presets import PRESETS, preset_named
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.report.json import ReportDocument, encode_document
from inspector.core.rules import RULES
from inspector.core.rules.rule import Rule
from inspector.core.translation import encode_sentence_as_is, joined, tr

_ALL_PROFILES = (*PROFILES.values(), *TEMPLATE_PROFILES.values())
_SAMPLE_VALUES = {"message": "N", "after": "N+1", "block": "M", "id": "ID"}


def rule_named(name: str) -> Rule:
    """Return a rule by its code or its slug. Raises UnknownName."""
    wanted = name.strip()
    for code, rule in RULES.items():
        if wanted.upper() == code or wanted.lower() == rule.slug:
            return rule
    raise UnknownName(tr("There is no rule named {wanted!r}. The `rules` command lists the rules.", wanted=wanted))


def build_rule_page(rule: Rule) -> RulePage:
    """Return the help page of a rule, with what each provider answers and each repair costs."""
    return RulePage(
        code=rule.code,
        slug=rule.slug,
        text=rule.help,
        default=rule.strategy,
        answers=tuple((profile.name, text) for profile in _ALL_PROFILES for text in _texts(profile, rule.code)),
        repairs=tuple(
            (name, STRATEGIES[name].summary, strategy_cost(name, rule.code).label)
            for name in sort_by_cost(rule.strategies, rule.code)
        ),
    )


def rule_page_lines(page: RulePage) -> Iterator[str]:
    """Yield a help page as text."""
    yield f"{page.code} {page.slug}"
    yield page.text
    if page.answers:
        yield ""
        yield tr("How each provider would respond:")
        for profile, text in page.answers:
            yield f"  {profile:24}{text}"
    yield ""
    yield tr("Repairs, cheapest first (default: {default}):", default=page.default)
    for name, summary, cost in page.repairs:
        yield tr("  {name:17}{summary} Costs: {cost}.", name=name, summary=summary, cost=cost)


def _texts(profile: Profile, code: str) -> Iterator[str]:
    """Yield the refusals of a class, and of its single cases where these have their own."""
    for key, text in profile.refusals.items():
        if key.partition(" ")[0] == code:
            yield text.format_map(_SAMPLE_VALUES)


def preset_lines(preset_name: str) -> Iterator[str]:
    """Yield what a preset does about every class, its wording, its losses, and what it leaves. Raises UnknownName."""
    preset = preset_named(preset_name)
    yield f"{preset.name}: {preset.summary}"
    if preset.imitates:
        yield tr("Imitates {imitates}: {source}", imitates=preset.imitates, source=preset.source)
    codes_by_strategy: dict[str, list[str]] = {}
    for code, rule in RULES.items():
        codes_by_strategy.setdefault(preset.strategy_of(code) or rule.strategy, []).append(code)
    yield ""
    yield tr("What it does:")
    for name in sort_by_cost(tuple(codes_by_strategy)):
        yield f"  {name:17}{STRATEGIES[name].summary} {' '.join(sorted(codes_by_strategy[name]))}"
    yield ""
    yield tr("Placeholder text: {wording}", wording=preset.wording)
    if preset.wording != OUR_PLACEHOLDER_TEXT:
        yield tr("  To use the default text instead, add --wording honest.")
    if preset.imitates and (others := FILLER_MESSAGES.get(preset.name)):
        yield tr(
            "  {imitates} also writes these messages, but this preset does not: {others}",
            imitates=preset.imitates,
            others=" · ".join(others),
        )
    costs = sorted(
        {strategy_cost(name, code) for name, codes in codes_by_strategy.items() for code in codes} - {CostLevel.NOTHING}
    )
    yield tr(
        "Costs: {costs}.", costs=joined(", ", (cost.label for cost in costs)) if costs else CostLevel.NOTHING.label
    )
    if left := sorted(code for code in codes_by_strategy.get("leave", ()) if RULES[code].strategy != "leave"):
        yield tr(
            "Not repaired (if the provider rejects a log with these findings, nothing is written): {left}",
            left=" ".join(left),
        )
    if preset.caveat:
        yield preset.caveat


class TextTable(NamedTuple):
    """A table that a command prints, and that a page of `resources/docs` contains."""

    titles: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def formats_table(formats: Iterable[Format] = FORMATS.values()) -> TextTable:
    """Return a table with a row for each format: what the program can do with it. `details_of_format` has the rest."""
    rows = [(f.name, f.label, f.container, f.profile, *_abilities(f), FORMATS.entries[f.name].origin) for f in formats]
    titles = (tr("name"), tr("what"), tr("container"), tr("profile"))
    abilities = (tr("repaired"), tr("next request predicted"), tr("lost results recovered"), tr("store examined"))
    return TextTable((*titles, *abilities, tr("source")), rows)


def _abilities(format: Format) -> tuple[str, ...]:
    """Return whether logs are repaired, the next request is known, and lost results and stores are looked at."""
    abilities = (
        isinstance(format, Writer),
        isinstance(format, RequestBuilder),
        isinstance(format, LostResultSource),
        bool(format.session_store),
    )
    return tuple(tr("yes") if able else tr("no") for able in abilities)


def unusable_formats() -> list[str]:
    """Return what is wrong with the formats of installed packages that cannot be used, a sentence each."""
    return [*FORMATS.faults] if FORMATS.entries else []  # `entries` searches the packages, and so finds what is wrong


class FormatDetails(Struct, kw_only=True):
    """All that is known of a format."""

    name: str
    what: str
    container: str
    recognized_by: str = field(name="recognised by")
    read: str
    written_back: str = field(name="written back")
    resume_rules: str = field(name="rules that it follows on resume")
    unsupported: str = field(name="not supported")
    lost_results: str | UnsetType = field(name="where a lost result may be", default=UNSET)
    source: str = field(name="facts from")
    kept_in: str = field(name="kept in")
    profile: str
    comes_from: str = field(name="comes from")


# Headings that read better than the fields of the JSON, whose names stay.
_HEADINGS = {
    "recognised by": tr("recognized by"),
    "written back": tr("can be saved"),
    "rules that it follows on resume": tr("rules for resuming"),
    "facts from": tr("based on"),
}


class FormatsDocument(ReportDocument, kw_only=True):
    """The report of `formats`. `left_out` says what is wrong with the formats of packages that cannot be used."""

    formats: list[FormatDetails]
    left_out: list[str]


def formats_json() -> bytes:
    """Return all that is known of each format as JSON."""
    formats = [*map(details_of_format, FORMATS.values())]
    return encode_document(FormatsDocument(formats=formats, left_out=unusable_formats()))


def table_of_format(name: str) -> TextTable:
    """Return all that is known of one format as a table. Raises UnknownName."""
    return TextTable(("", ""), rows_of_format(known_format_named(name)))


def rows_of_format(format: Format) -> list[tuple[str, str]]:
    """Return all that is known of a format but for its name, by heading."""
    known = msgspec.to_builtins(details_of_format(format), enc_hook=encode_sentence_as_is)
    return [(_HEADINGS.get(heading) or tr(heading), text) for heading, text in known.items()][1:]


def details_of_format(format: Format) -> FormatDetails:
    """Return all that is known of one format."""
    return FormatDetails(
        name=format.name,
        what=format.label,
        container=format.container,
        recognized_by=format.detection,
        read=format.read,
        written_back=format.write_back,
        resume_rules=format.resume,
        unsupported=format.unsupported,
        lost_results=format.lost_result_places or UNSET,
        source=format.source,
        kept_in="\n".join(map(_place, format.stores)) or tr("no fixed folder"),
        profile=format.profile,
        comes_from=FORMATS.entries[format.name].origin,
    )


def _place(store: StorePattern) -> str:
    *others, home = store.home.split("|")
    others += [f"${store.variable}"] if store.variable else []
    place = f"{home}/{store.pattern}"
    return tr("{place} (or under {folders})", place=place, folders=", ".join(others)) if others else place


def rules_table() -> TextTable:
    """Return the table of rules, the classes of anomaly."""
    rows = [(code, rule.slug, rule.title, rule.strategy, ", ".join(rule.strategies)) for code, rule in RULES.items()]
    return TextTable((tr("code"), tr("slug"), tr("what"), tr("default"), tr("repairs")), rows)


def presets_table() -> TextTable:
    """Return the table of presets, with their caveats."""
    titles = tr("name"), tr("what it does"), tr("caveat")
    return TextTable(titles, [(p.name, p.summary, p.caveat) for p in PRESETS.values()])


def strategies_table() -> TextTable:
    """Return the table of strategies, the cheapest first."""
    rows = sorted(STRATEGIES.values(), key=lambda strategy: (strategy.name == "leave", strategy.cost))
    titles = tr("name"), tr("what it does"), tr("costs")
    return TextTable(titles, [(s.name, s.summary, s.cost.label) for s in rows])


def placeholder_wordings_table() -> TextTable:
    """Return the table of placeholder wordings, with what each claims without knowing."""
    rows = [(w.name, w.text, tr(w.claims) if w.claims else "") for w in PLACEHOLDER_WORDINGS.values()]
    return TextTable((tr("name"), tr("text"), tr("note")), rows)


def profiles_table() -> TextTable:
    """Return the table of profiles, with the rules that each refuses."""
    rows = [(p.name, p.label, ", ".join(sorted(p.refusals)), p.source) for p in _ALL_PROFILES]
    return TextTable((tr("name"), tr("what"), tr("rejects"), tr("based on")), rows)
