"""What a planned repair comes to: who would accept it, what the agent does, what is lost."""

from pathlib import PurePath

from PySide6.QtWidgets import QWidget

from inspector.gui.basics import theme, words
from inspector.gui.basics.plain_text import one_line
from inspector.gui.document.document import Document
from inspector.gui.panels.acceptance_lines import acceptance_lines
from inspector.gui.panels.icon_lines import IconLines, Line

_LOSSES = 50
_LOSS_CHARS = 160


class OutcomeView(IconLines):
    """What the current plan comes to."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.setAccessibleName(self.tr("What the repair comes to"))

    def lines(self) -> list[Line]:
        draft = self._document.repair
        if draft.failure:
            return [("error", theme.ERROR, draft.failure)]
        if draft.plan is None:
            return [("pending", theme.INFO, self.tr("Planning the repair…"))]
        summary = draft.plan.summary
        lines = acceptance_lines(summary.accepted, summary.not_run, self._document.targets)
        if not summary.verified:
            reason = summary.reason or self.tr("The repaired history does not pass the checks.")
            lines.append(("error", theme.ERROR, reason))
        if summary.on_resume:
            known = words.RESUME.get(summary.on_resume)
            sentence = self.tr("On resume, the agent ") + words.tr(known) + "." if known else summary.on_resume
            lines.append(("session", theme.INFO, sentence))
        if draft.choices.results_from:
            names = ", ".join(one_line(PurePath(path).name, _LOSS_CHARS) for path in draft.choices.results_from)
            lines.append(("link", theme.INFO, f"{self.tr('Missing results are taken from')} {names}."))
        if summary.caveat:
            lines.append(("info", theme.INFO, self.tr("About the preset: ") + summary.caveat))
        lines += [("info", theme.INFO, sentence) for sentence in summary.unmet[:_LOSSES]]
        lines += [("warning", theme.WARNING, fault) for fault in summary.faults]
        lines += [("info", theme.INFO, effect) for effect in summary.effects[:_LOSSES]]
        if not summary.losses:
            lines.append(("ok", theme.GOOD, self.tr("Nothing is lost.")))
        losses = [one_line(loss, _LOSS_CHARS) for loss in summary.losses[:_LOSSES]]
        lines += [("warning", theme.WARNING, self.tr("Lost: ") + loss) for loss in losses]
        if len(summary.losses) > _LOSSES:
            more = words.counted(len(summary.losses) - _LOSSES, "more loss", "more losses")
            lines.append(("warning", theme.WARNING, more))
        return lines
