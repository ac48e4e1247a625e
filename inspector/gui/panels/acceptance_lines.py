"""Who would accept a planned history, as lines: the provider that it is for counts, the others stand beside it."""

from inspector.gui.basics import theme, words
from inspector.gui.basics.words import tr
from inspector.gui.panels.icon_lines import Line


def acceptance_lines(accepted: dict[str, str | None], not_run: tuple[str, ...], targets: set[str]) -> list[Line]:
    """`accepted` maps a profile to None or to what it would refuse with; `not_run` are checks that did not run."""
    lines: list[Line] = []
    if takers := [words.profile(name) for name, refusal in accepted.items() if refusal is None]:
        text = tr("Accepted by ") + ", ".join(takers)
        if not_run:
            text += tr(", as far as was checked. These checks did not run: ") + ", ".join(not_run)
        lines.append(("ok", theme.GOOD, text))
    for name, refusal in accepted.items():
        if refusal is not None:
            icon, colour = ("error", theme.ERROR) if name in targets else ("info", theme.INFO)
            lines.append((icon, colour, f"{words.profile(name)} {tr('would refuse')}: {refusal}"))
    return lines
