"""What a planned repair comes to: who would accept it, what the agent does, what is lost."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QWidget

from inspector.gui import assets, theme, words
from inspector.gui.document import Document
from inspector.gui.panels.plain_label import PlainLabel
from inspector.gui.plain_text import one_line

_LOSSES = 50
_LOSS_CHARS = 160
_MAX_HEIGHT = 170
_MIN_HEIGHT = 56


class OutcomeView(QScrollArea):
    """One line with an icon for each answer."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._wanted = _MIN_HEIGHT
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("What the repair comes to"))

    def refresh(self) -> None:
        """Show what the current plan comes to, as soon as anybody looks."""
        if not self.isVisible():
            return
        lines = self._lines()
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(12, 6, 12, 6)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (icon, pair, text) in enumerate(lines):
            picture = QLabel(page)
            picture.setPixmap(assets.pixmap(icon, pair.on(self.palette()), 16))
            grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(PlainLabel(text, parent=page), row, 1)
        grid.setRowStretch(len(lines), 1)
        self.setWidget(page)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self._wanted)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, min(self._wanted, _MIN_HEIGHT))

    def _fit(self) -> None:
        """As high as its lines, up to a limit; where there is less room it scrolls."""
        page = self.widget()
        layout = page.layout() if page is not None else None
        if layout is not None:
            self._wanted = min(layout.heightForWidth(self.viewport().width()), _MAX_HEIGHT)
            self.setMaximumHeight(self._wanted)
            self.updateGeometry()

    def text(self) -> str:
        """All lines, for a reader that does not see the icons."""
        return "\n".join(text for _, _, text in self._lines())

    def _lines(self) -> list[tuple[str, theme.Pair, str]]:
        draft = self._document.repair
        if draft.failure:
            return [("error", theme.ERROR, draft.failure)]
        if draft.plan is None:
            return [("pending", theme.INFO, self.tr("Planning the repair…"))]
        summary = draft.plan.summary
        lines = []
        accepted = [words.profile(name) for name, refusal in summary.accepted.items() if refusal is None]
        if accepted:
            text = self.tr("Accepted by ") + ", ".join(accepted) + self.tr(", as far as the checks that ran can tell")
            lines.append(("ok", theme.GOOD, text))
        for name, refusal in summary.accepted.items():
            if refusal is not None:
                lines.append(("error", theme.ERROR, f"{words.profile(name)} {self.tr('would refuse')}: {refusal}"))
        if not summary.verified:
            reason = summary.reason or self.tr("The repaired history does not pass the checks.")
            lines.append(("error", theme.ERROR, reason))
        if summary.on_resume:
            known = words.RESUME.get(summary.on_resume)
            sentence = self.tr("On resume, the agent ") + words.tr(known) + "." if known else summary.on_resume
            lines.append(("session", theme.INFO, sentence))
        if not summary.losses:
            lines.append(("ok", theme.GOOD, self.tr("Nothing is lost.")))
        losses = [one_line(loss, _LOSS_CHARS) for loss in summary.losses[:_LOSSES]]
        lines += [("warning", theme.WARNING, self.tr("Lost: ") + loss) for loss in losses]
        if len(summary.losses) > _LOSSES:
            more = words.counted(len(summary.losses) - _LOSSES, "more loss", "more losses")
            lines.append(("warning", theme.WARNING, more))
        return lines
