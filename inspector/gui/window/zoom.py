"""Zoom: the size of all letters of the program, changed while its windows are open."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QHeaderView

from inspector.core.translation import tr
from inspector.gui.common.settings import Settings
from inspector.gui.widgets.item_views import RowPainter

_STEP = 0.1  # of the usual size
_MIN_STEPS, _MAX_STEPS = -4, 10


class Zoom:
    """The zoom of the program in steps of ten percent, 0 for the size of letters that the system asks for."""

    _steps = 0  # of the application, whose font all windows share

    def __init__(self, settings: Settings) -> None:
        """Restore the zoom. A window that is made after this is laid out for it."""
        self._settings = settings
        self.set(settings.zoom)

    @property
    def steps(self) -> int:
        return Zoom._steps

    @staticmethod
    def names() -> dict[int, str]:
        """Return the steps with their names."""
        return {steps: f"{round(100 * _factor(steps))}%" for steps in range(_MIN_STEPS, _MAX_STEPS + 1)}

    def why_not(self, steps: int) -> str:
        """Return why the letters cannot become larger or smaller by so many steps, "" if they can."""
        if _MIN_STEPS <= self.steps + steps <= _MAX_STEPS:
            return ""
        return tr("The text cannot be made any larger.") if steps > 0 else tr("The text cannot be made any smaller.")

    def set(self, steps: int) -> None:
        """Show the letters in a zoom, and remember it."""
        before, Zoom._steps = self.steps, min(max(steps, _MIN_STEPS), _MAX_STEPS)
        if self.steps != self._settings.zoom:
            self._settings.zoom = self.steps
        if self.steps != before:
            _scale(_factor(self.steps) / _factor(before))


def _factor(steps: int) -> float:
    return 1 + steps * _STEP


def _scale(ratio: float) -> None:
    """Scale the text of all widgets, and the columns that were laid out for it."""
    # Columns come first: a view that measures its columns does so again when its font changes.
    for header in QApplication.allWidgets():
        if isinstance(header, QHeaderView):
            _scale_sections(header, ratio)
    # Widgets with a font of their own do not follow that of the application.
    own = [each for each in QApplication.allWidgets() if each.testAttribute(Qt.WidgetAttribute.WA_SetFont)]
    sizes = [widget.font().pointSizeF() for widget in own]
    RowPainter.set_font_of_all(_scaled(QApplication.font(), QApplication.font().pointSizeF() * ratio))
    # With a style sheet, a new font of the application does not reach the widgets.
    application, sheet = QApplication.instance(), ""
    if isinstance(application, QApplication):
        sheet = application.styleSheet()
        application.setStyleSheet("")
    QApplication.setFont(_scaled(QApplication.font(), QApplication.font().pointSizeF() * ratio))
    if isinstance(application, QApplication):
        application.setStyleSheet(sheet)
    for widget, size in zip(own, sizes, strict=True):
        widget.setFont(_scaled(widget.font(), size * ratio))


def _scaled(font: QFont, points: float) -> QFont:
    scaled = QFont(font)
    scaled.setPointSizeF(points)
    return scaled


def _scale_sections(header: QHeaderView, ratio: float) -> None:
    if header.orientation() == Qt.Orientation.Vertical:
        header.setMinimumSectionSize(round(header.minimumSectionSize() * ratio))
        header.setDefaultSectionSize(round(header.defaultSectionSize() * ratio))
        return
    for section in range(header.count()):
        if header.sectionResizeMode(section) in (QHeaderView.ResizeMode.Fixed, QHeaderView.ResizeMode.Interactive):
            header.resizeSection(section, round(header.sectionSize(section) * ratio))
