"""What there is (formats, rules, strategies, presets, wordings, profiles) as tables of words."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inspector.core.bytes.json_text import text_of
from inspector.core.formats import FORMATS, known_format
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.store import Store
from inspector.core.known_texts.placeholders import WORDINGS
from inspector.core.profiles import PROFILES
from inspector.core.repair.presets import PRESETS
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES


class Table(NamedTuple):
    """What a command prints, and a page of `resources/docs` holds."""

    titles: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def formats_table(formats: Iterable[Format] = FORMATS.values()) -> Table:
    """The formats, a line each; `told_of` says the rest."""
    rows = [(f.name, f.label, f.container, f.profile, f.write_back, FORMATS.rows[f.name].origin) for f in formats]
    return Table(("name", "what", "container", "profile", "written back", "comes from"), rows)


def formats_left_out() -> list[str]:
    """What is wrong with the formats of installed packages that cannot be used, a sentence each."""
    return [*FORMATS.faults] if FORMATS.rows else []  # `rows` looks for packages, and so finds what is wrong


def formats_json() -> bytes:
    """All that is known of each format, by heading."""
    told = [{"name": name, **told_of(format)} for name, format in FORMATS.items()]
    return text_of({"formats": told, "left_out": formats_left_out()}) + b"\n"


def one_format(name: str) -> Table:
    """All that is known of one format. Raises UnknownName."""
    return Table(("", ""), list(told_of(known_format(name)).items()))


def told_of(format: Format) -> dict[str, str]:
    """All that is known of one format, by heading."""
    stores = "\n".join(map(_place, format.stores)) or "no place of its own"
    told = {"what": format.label, **row_of(format), "kept in": stores, "profile": format.profile}
    return told | {"comes from": FORMATS.rows[format.name].origin}


def _place(store: Store) -> str:
    moved = f" (${store.variable} moves it)" if store.variable else ""
    return f"{store.home}/{store.pattern}{moved}"


def row_of(format: Format) -> dict[str, str]:
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


def rules_table() -> Table:
    """The classes of anomaly."""
    rows = [(code, rule.slug, rule.title, rule.strategy, ", ".join(rule.strategies)) for code, rule in RULES.items()]
    return Table(("code", "slug", "what", "default", "repairs"), rows)


def presets_table() -> Table:
    """The presets, with what is to be known before one is taken."""
    return Table(("name", "what it does", "caveat"), [(p.name, p.summary, p.caveat) for p in PRESETS.values()])


def strategies_table() -> Table:
    """The strategies, the cheapest first."""
    rows = sorted(STRATEGIES.values(), key=lambda strategy: (strategy.name == "leave", strategy.cost))
    return Table(("name", "what it does", "costs"), [(s.name, s.summary, s.cost.words) for s in rows])


def wordings_table() -> Table:
    """The wordings of placeholders, with what each claims that nobody knows."""
    rows = [(w.name, w.text, f"It claims {w.claims}." if w.claims else "") for w in WORDINGS.values()]
    return Table(("name", "text", "beware"), rows)


def profiles_table() -> Table:
    """The profiles, with the rules that each refuses."""
    rows = [(p.name, p.label, ", ".join(sorted(p.refusals)), p.source) for p in PROFILES.values()]
    return Table(("name", "what", "refuses", "facts from"), rows)
