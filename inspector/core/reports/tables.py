"""What there is (formats, rules, strategies, presets, wordings, profiles) as tables of words."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inspector.core.bytes.json_text import dump_json
from inspector.core.formats import FORMATS, known_format
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.store import Store
from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.profiles import PROFILES
from inspector.core.repair.presets import PRESETS
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES


class TextTable(NamedTuple):
    """What a command prints, and a page of `resources/docs` holds."""

    titles: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def formats_table(formats: Iterable[Format] = FORMATS.values()) -> TextTable:
    """The formats, a line each; `told_of` says the rest."""
    rows = [(f.name, f.label, f.container, f.profile, f.write_back, FORMATS.entries[f.name].origin) for f in formats]
    return TextTable(("name", "what", "container", "profile", "written back", "comes from"), rows)


def unusable_formats() -> list[str]:
    """What is wrong with the formats of installed packages that cannot be used, a sentence each."""
    return [*FORMATS.faults] if FORMATS.entries else []  # `rows` looks for packages, and so finds what is wrong


def formats_json() -> bytes:
    """All that is known of each format, by heading."""
    told = [{"name": name, **format_details(format)} for name, format in FORMATS.items()]
    return dump_json({"formats": told, "left_out": unusable_formats()}) + b"\n"


def format_table(name: str) -> TextTable:
    """All that is known of one format. Raises UnknownName."""
    return TextTable(("", ""), list(format_details(known_format(name)).items()))


def format_details(format: Format) -> dict[str, str]:
    """All that is known of one format, by heading."""
    stores = "\n".join(map(_place, format.stores)) or "no place of its own"
    told = {"what": format.label, **format_row(format), "kept in": stores, "profile": format.profile}
    return told | {"comes from": FORMATS.entries[format.name].origin}


def _place(store: Store) -> str:
    moved = f" (${store.variable} moves it)" if store.variable else ""
    return f"{store.home}/{store.pattern}{moved}"


def format_row(format: Format) -> dict[str, str]:
    """What there is to say of a format, by the headings of its row."""
    return {
        "container": format.container,
        "recognised by": format.detection,
        "read": format.read,
        "written back": format.write_back,
        "resume rules honoured": format.resume,
        "not supported": format.unsupported,
        "facts from": format.source,
    }


def rules_table() -> TextTable:
    """The classes of anomaly."""
    rows = [(code, rule.slug, rule.title, rule.strategy, ", ".join(rule.strategies)) for code, rule in RULES.items()]
    return TextTable(("code", "slug", "what", "default", "repairs"), rows)


def presets_table() -> TextTable:
    """The presets, with what is to be known before one is taken."""
    return TextTable(("name", "what it does", "caveat"), [(p.name, p.summary, p.caveat) for p in PRESETS.values()])


def strategies_table() -> TextTable:
    """The strategies, the cheapest first."""
    rows = sorted(STRATEGIES.values(), key=lambda strategy: (strategy.name == "leave", strategy.cost))
    return TextTable(("name", "what it does", "costs"), [(s.name, s.summary, s.cost.label) for s in rows])


def wordings_table() -> TextTable:
    """The wordings of placeholders, with what each claims that nobody knows."""
    rows = [(w.name, w.text, f"It claims {w.claims}." if w.claims else "") for w in PLACEHOLDER_WORDINGS.values()]
    return TextTable(("name", "text", "beware"), rows)


def profiles_table() -> TextTable:
    """The profiles, with the rules that each refuses."""
    rows = [(p.name, p.label, ", ".join(sorted(p.refusals)), p.source) for p in PROFILES.values()]
    return TextTable(("name", "what", "refuses", "facts from"), rows)
