"""What a planned repair comes to: who would accept it, what the agent does, what is lost."""

from pathlib import PurePath

from inspector.gui.basics import theme, words
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
    lines = acceptance_lines(summary.accepted, summary.not_run, document.targets)
    if not summary.verified:
        lines.append(("error", theme.ERROR, draft.refusal))
    if summary.on_resume:
        known = words.RESUME.get(summary.on_resume)
        sentence = tr("On resume, the agent ") + tr(known) + "." if known else summary.on_resume
        lines.append(("session", theme.INFO, sentence))
    if draft.choices.results_from:
        names = ", ".join(one_line(PurePath(path).name, _LOSS_CHARS) for path in draft.choices.results_from)
        lines.append(("link", theme.INFO, f"{tr('Missing results are taken from')} {names}."))
    if summary.caveat:
        lines.append(("info", theme.INFO, tr("About the preset: ") + summary.caveat))
    lines += [("info", theme.INFO, sentence) for sentence in summary.unmet[:_LOSSES]]
    lines += [("warning", theme.WARNING, fault) for fault in summary.faults]
    lines += [("info", theme.INFO, effect) for effect in summary.effects[:_LOSSES]]
    if not summary.losses:
        lines.append(("ok", theme.GOOD, tr("Nothing is lost.")))
    losses = [one_line(loss, _LOSS_CHARS) for loss in summary.losses[:_LOSSES]]
    lines += [("warning", theme.WARNING, tr("Lost: ") + loss) for loss in losses]
    if len(summary.losses) > _LOSSES:
        more = words.counted(len(summary.losses) - _LOSSES, "more loss", "more losses")
        lines.append(("warning", theme.WARNING, more))
    return lines
