"""What a planned repair comes to: who would accept it, what the agent does, what is lost."""

from inspector.gui.basics import theme, words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.plain_text import one_line
from inspector.gui.basics.words import tr
from inspector.gui.document.document import Document
from inspector.gui.panels.acceptance_lines import acceptance_lines
from inspector.gui.panels.icon_lines import Line

_LOSSES = 50
_LOSS_CHARS = 160


def outcome_lines(document: Document) -> list[Line]:
    """What the current plan of a document comes to."""
    draft = document.repair
    if draft.failure:
        return [("error", theme.ERROR, draft.failure)]
    if draft.plan is None:
        return [("pending", theme.INFO, tr("Planning the repair…"))]
    summary = draft.plan.summary
    lines = acceptance_lines(summary.accepted, summary.not_run, document.target_profiles)
    if not summary.verified:
        lines.append(("error", theme.ERROR, draft.why_not_writable))
    if summary.on_resume:
        lines.append(("session", theme.INFO, summary.on_resume))
    if draft.choices.results_from:
        names = ", ".join(one_line(hiding.display_name(path), _LOSS_CHARS) for path in draft.choices.results_from)
        lines.append(("link", theme.INFO, f"{tr('Missing results are taken from')} {names}."))
    if summary.caveat:
        lines.append(("info", theme.INFO, tr("About the preset: ") + summary.caveat))
    lines += [("info", theme.INFO, sentence) for sentence in summary.unmet[:_LOSSES]]
    lines += [("warning", theme.WARNING, fault) for fault in summary.faults]
    lines += [("info", theme.INFO, effect) for effect in summary.effects[:_LOSSES]]
    if not summary.losses:
        lines.append(("ok", theme.GOOD, tr("Nothing is lost.")))
    return lines + loss_lines(tr("Lost: "), summary.losses, _LOSSES)


def loss_lines(title: str, losses: tuple[str, ...], most: int) -> list[Line]:
    """The first losses, at `most` so many, and how many more there are."""
    told = [title + one_line(loss, _LOSS_CHARS) for loss in losses[:most]]
    if len(losses) > most:
        told.append(words.counted(len(losses) - most, "more loss", "more losses"))
    return [("warning", theme.WARNING, each) for each in told]
