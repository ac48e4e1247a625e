"""The dialogs that save another copy of a log: trimmed to a part of its history, or converted to another format."""

from typing import Any

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QRadioButton,
    QSizePolicy,
    QSpinBox,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.core.presentation.engine_results import ConversionSummary, TrimPreview
from inspector.core.repair.choices import Choices
from inspector.core.text import format_bytes
from inspector.core.translation import tr, tr_plural
from inspector.core.trim.options import MODEL_FITS, Shrinking, Trimming, Wish
from inspector.gui.common import theme, ui_text
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.qt_helpers import fit_to_screen
from inspector.gui.common.safe_text import SafeLabel, set_safe_tooltip
from inspector.gui.dialogs.export_dialog_base import ExportDialogBase, SessionComboBox
from inspector.gui.models.base import TableModel
from inspector.gui.models.list_columns import CONVERT_NOTES_TABLE, convert_note_rows
from inspector.gui.panels.repair_panel import acceptance_lines, loss_lines
from inspector.gui.state.document import Document
from inspector.gui.widgets.item_views import set_up_table
from inspector.gui.widgets.labels import PlainLabel
from inspector.gui.widgets.scroll_areas import IconLine
from inspector.gui.worker.requests import PREVIEW_CONVERSION, PREVIEW_TRIM, SAVE_CONVERTED, SAVE_TRIMMED

_KB = 1000
_LOSSES = 20
_LIST_HEIGHT = 120


class TrimDialog(ExportDialogBase):
    """The dialog that saves a trimmed copy, or a session that ends before a chosen message, the row `before`.

    A call is never separated from its result: the cut is moved to a place where no pair spans it.
    """

    PREVIEW_REQUEST, SAVE_REQUEST = PREVIEW_TRIM, SAVE_TRIMMED

    def __init__(
        self, document: Document, prompts: DialogQuestions, parent: QWidget | None = None, before: int = -1
    ) -> None:
        title = tr("Save a trimmed copy") if before < 0 else tr("Continue from here")
        super().__init__(document, prompts, title, parent)
        sessions = document.log.overview.sessions if document.log else ()
        message_count = max((session.messages for session in sessions), default=1)
        self.broken = any(session.verdict == "broken" for session in sessions)
        self.by_number = QRadioButton(tr("The &last"), self)
        self.number = self._spin(1, max(message_count, 1), max(message_count // 2, 1), tr("Number of messages to keep"))
        self.by_share = QRadioButton(tr("A &share of"), self)
        self.share = self._spin(1, 99, 50, tr("Percentage of the messages to keep"))
        self.share.setSuffix(" %")
        self.all = QRadioButton(tr("&All messages"), self)
        self.by_fit = QRadioButton(tr("Fit a &model:"), self)
        log = document.log
        self.before = log.record_of(before) if log is not None else -1
        place = log.place_of(before) if log is not None and self.before >= 0 else ""
        self.by_place = QRadioButton(tr("&Everything before the selected message ({place})", place=place), self)
        self.by_place.setVisible(self.before >= 0)
        self.model = QComboBox(self)
        self.model.setAccessibleName(tr("Model whose context window must hold the history"))
        for name, fit in MODEL_FITS.items():
            self.model.addItem(tr("{name} ({window:,} tokens)", name=name, window=fit.window), name)
        self.first = QCheckBox(tr("Also keep everything before the &first answer"), self)
        self.shrink = QComboBox(self)
        self.shrink.setAccessibleName(tr("Results to replace with notes"))
        for title in (tr("no results"), tr("results larger than"), tr("the largest results:")):
            self.shrink.addItem(title)
        self.kilobytes = self._spin(1, 1_000_000, 8, tr("Size in kilobytes"))
        self.kilobytes.setSuffix(tr(" KB"))
        self.count = self._spin(1, 1_000_000, 10, tr("Number of results"))
        self.repair = QCheckBox(tr("&Repair the log first, as planned in the Repair tab"), self)
        self.repair.setChecked(self.broken)
        self.repair.setEnabled(not self.broken)
        if self.broken:
            set_safe_tooltip(self.repair, tr("The log is broken and must be repaired before it can be trimmed."))
        self.repair.setVisible(document.log is not None and len(document.log.findings) > 0)
        self.figures: dict[str, tuple[SafeLabel, SafeLabel]] = {}
        too_long = any(session.context for session in sessions)
        chosen = self.by_place if self.before >= 0 else self.by_fit if too_long else self.by_number
        chosen.setChecked(True)
        self._lay_out()
        self._connect()
        fit_to_screen(self, QSize(560, 520))

    def options(self) -> tuple[Trimming]:
        wish = Wish(first=self.first.isChecked())
        if self.by_number.isChecked():
            wish = Wish(keep=self.number.value(), first=self.first.isChecked())
        elif self.by_share.isChecked():
            wish = Wish(fraction=self.share.value() / 100, first=self.first.isChecked())
        repairs = self.document.repair.choices if self.repair.isChecked() else None
        if self.by_place.isChecked():
            return (Trimming(Wish(), repairs=repairs, before=self.before),)
        if self.by_fit.isChecked():
            return (Trimming(wish, repairs=repairs, fit=MODEL_FITS[self.model.currentData()]),)
        shrinking = {
            0: Shrinking(),
            1: Shrinking(over=self.kilobytes.value() * _KB),
            2: Shrinking(most=self.count.value()),
        }[self.shrink.currentIndex()]
        return (Trimming(wish, shrinking, repairs),)

    def save_target(self) -> str | None:
        """Return the file to write: none for a history that becomes a new session."""
        return "" if self._makes_session() else super().save_target()

    def _makes_session(self) -> bool:
        """Return whether the history is made to go on with, and its format has new sessions."""
        log = self.document.log
        to_be_resumed = self.by_fit.isChecked() or self.by_place.isChecked()
        return to_be_resumed and log is not None and "new-session" in log.overview.save_modes

    def why_not_savable(self) -> str:
        return tr("Nothing would be trimmed.") if self.answer.changes_nothing else ""

    def show_answer(self) -> None:
        answer: TrimPreview | None = self.answer
        figures: dict[str, tuple[str, str]] = {}
        if answer is not None:
            figures["messages"] = f"{answer.messages_before:,}", f"{answer.messages_after:,}"
            figures["bytes"] = format_bytes(answer.bytes_before), format_bytes(answer.bytes_after)
            figures["tokens"] = _tokens(answer)
        for name, (before, after) in self.figures.items():
            texts = figures.get(name, ("", "…"))
            before.setText(texts[0])
            after.setText(texts[1])
        self.save.setText(tr("&Save as new session") if self._makes_session() else tr("&Save…"))
        super().show_answer()

    def lines(self) -> list[IconLine]:
        answer: TrimPreview = self.answer
        if answer.changes_nothing:
            return [("info", theme.INFO, tr("Nothing would be trimmed."))]
        lines: list[IconLine] = [("info", theme.INFO, sentence) for sentence in answer.fit]
        if answer.removed:
            removed = (
                tr(
                    "{count:,} × {kind} ({size})",
                    count=count,
                    kind=tr(ui_text.REMOVED_KIND_WORDS[kind]),
                    size=format_bytes(size),
                )
                for kind, count, size in answer.removed
            )
            lines.append(("removed", theme.ERROR, tr("Removed: {removed}", removed=", ".join(removed))))
        if answer.shrunk and not answer.fit:
            results = tr_plural(
                "{number:,} result is replaced with a note", "{number:,} results are replaced with notes", answer.shrunk
            )
            lines.append(("changed", theme.WARNING, results))
        lines += [("info", theme.INFO, sentence) for sentence in answer.consequences]
        lines += loss_lines(tr("Lost in the repair: {loss}"), answer.losses, _LOSSES)
        return lines + acceptance_lines(answer.accepted, answer.not_run, self.document.target_profiles)

    def _spin(self, minimum: int, maximum: int, value: int, name: str) -> QSpinBox:
        box = QSpinBox(self)
        box.setRange(minimum, maximum)
        box.setValue(value)
        box.setGroupSeparatorShown(True)
        box.setAccessibleName(name)
        return box

    def _connect(self) -> None:
        for spin, button in ((self.number, self.by_number), (self.share, self.by_share)):
            # Changing a number selects its option.
            spin.valueChanged.connect(lambda _, button=button: button.setChecked(True))
        keep = QButtonGroup(self)
        self.model.activated.connect(lambda _: self.by_fit.setChecked(True))
        self.model.currentIndexChanged.connect(self.options_changed)
        for button in (self.by_number, self.by_share, self.all, self.by_fit, self.by_place):
            keep.addButton(button)
            button.toggled.connect(self.options_changed)
            button.toggled.connect(self._enable_options)
        for spin in (self.number, self.share, self.kilobytes, self.count):
            spin.valueChanged.connect(self.options_changed)
        for box in (self.first, self.repair):
            box.toggled.connect(self.options_changed)
        self.shrink.currentIndexChanged.connect(self._on_shrink_changed)
        self._enable_options()

    @Slot()
    def _enable_options(self) -> None:
        """Enable the options that apply: fitting decides itself which results are shortened."""
        by_place = self.by_place.isChecked()
        for box in (self.shrink, self.kilobytes, self.count):
            box.setEnabled(not (by_place or self.by_fit.isChecked()))
        self.first.setEnabled(not by_place)

    def _on_shrink_changed(self, kind: int) -> None:
        self.kilobytes.setVisible(kind == 1)
        self.count.setVisible(kind == 2)
        self.options_changed()

    def _lay_out(self) -> None:
        wishes = QVBoxLayout()
        wishes.setContentsMargins(14, 12, 14, 6)
        wishes.setSpacing(7)
        title = SafeLabel(tr("What is kept"), self)
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        wishes.addWidget(title)
        for parts in (
            (self.by_place,),
            (self.by_number, self.number, tr("messages")),
            (self.by_share, self.share, tr("of the messages, counted from the end")),
            (self.all,),
            (self.by_fit, self.model),
            (self.first,),
            (tr("Replace with notes"), self.shrink, self.kilobytes, self.count),
            (self.repair,),
        ):
            wishes.addLayout(self._row(parts))
        self.kilobytes.hide()
        self.count.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(wishes)
        column.addWidget(self._table())
        self.finish_layout(column)

    def _row(self, parts: tuple[Any, ...]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        for part in parts:
            row.addWidget(SafeLabel(part, self) if isinstance(part, str) else part)
        row.addStretch()
        return row

    def _table(self) -> QWidget:
        """Create the table of sizes before and after."""
        table = QWidget(self)
        table.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        table.setAutoFillBackground(True)
        table.setBackgroundRole(self.palette().ColorRole.Base)
        grid = QGridLayout(table)
        grid.setContentsMargins(14, 8, 14, 8)
        grid.setHorizontalSpacing(28)
        for column, title in enumerate((tr("Before"), tr("After")), 1):
            grid.addWidget(PlainLabel(title, quiet=True, parent=table), 0, column)
        for row, (name, title) in enumerate(
            (("messages", tr("Messages")), ("bytes", tr("Size")), ("tokens", tr("Context size in tokens"))), 1
        ):
            self.figures[name] = SafeLabel(parent=table), SafeLabel(parent=table)
            grid.addWidget(SafeLabel(title, table), row, 0)
            for column, label in enumerate(self.figures[name], 1):
                label.setAccessibleName(f"{title}, {(tr('before'), tr('after'))[column - 1]}")
                grid.addWidget(label, row, column)
        grid.setColumnStretch(3, 1)
        return table


class ConvertDialog(ExportDialogBase):
    """The dialog that saves a converted history. It lists every block that is skipped or adapted."""

    PREVIEW_REQUEST, SAVE_REQUEST = PREVIEW_CONVERSION, SAVE_CONVERTED

    def __init__(self, document: Document, prompts: DialogQuestions, parent: QWidget | None = None) -> None:
        super().__init__(document, prompts, tr("Save a converted history"), parent)
        self.targets = QComboBox(self)
        for name, title in ui_text.CONVERT_TARGET_NAMES.items():
            self.targets.addItem(tr(title), name)
        self.sessions = SessionComboBox(self)
        self.sessions.fill(document.log, document.node)
        self.as_held = QRadioButton(tr("from the &unrepaired log"), self)
        self.as_repaired = QRadioButton(tr("from the log after the planned &repair"), self)
        draft = document.repair
        self.as_repaired.setEnabled(not draft.why_not_writable)
        set_safe_tooltip(self.as_repaired, draft.why_not_writable)
        (self.as_held if draft.why_not_worth_writing else self.as_repaired).setChecked(True)
        self.model = TableModel(CONVERT_NOTES_TABLE, self)
        self.view = QTreeView(self)
        name = tr("Changed blocks")
        set_up_table(self.view, self.model, name, _LIST_HEIGHT)
        self._lay_out()
        self.targets.currentIndexChanged.connect(self.options_changed)
        self.sessions.currentIndexChanged.connect(self.options_changed)
        self.as_repaired.toggled.connect(self.options_changed)
        fit_to_screen(self, QSize(640, 600))

    def options(self) -> tuple[str, str, Choices | None]:
        choices = self.document.repair.choices if self.as_repaired.isChecked() else None
        return self.targets.currentData(), self.sessions.currentData() or "", choices

    def why_not_savable(self) -> str:
        return ""

    def show_answer(self) -> None:
        answer: ConversionSummary | None = self.answer
        log = self.document.log
        if log is not None:
            self.model.show(convert_note_rows(answer.notes if answer else (), log.lines))
        self.view.setVisible(self.model.rowCount() > 0)
        super().show_answer()

    def lines(self) -> list[IconLine]:
        answer: ConversionSummary = self.answer
        lines: list[IconLine] = []
        if not answer.counts:
            lines.append(("ok", theme.SUCCESS, tr("Every block is copied unchanged.")))
        for action, subject, reason, count in answer.counts:
            icon = ui_text.CONVERT_NOTE_ICONS[action]
            action_label = tr(ui_text.CONVERT_NOTE_WORDS[action]).capitalize()
            lines.append((icon, theme.CONVERT_NOTE_COLOURS[icon], f"{action_label}: {count:,} × {subject}, {reason}"))
        if answer.noted > len(answer.notes):
            sentence_about_list = tr(
                "The list shows the first {number:,} of {noted:,} blocks.",
                number=len(answer.notes),
                noted=answer.noted,
            )
            lines.append(("info", theme.INFO, sentence_about_list))
        if not answer.sound:
            sentence = tr("The history is broken, so a provider would also reject the converted history.")
            lines.append(("warning", theme.WARNING, sentence))
        return [
            *lines,
            ("info", theme.INFO, tr("The file size will be {size}.", size=format_bytes(answer.bytes))),
        ]

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setContentsMargins(14, 12, 14, 6)
        form.addRow(self._label(tr("&To"), self.targets), self.targets)
        form.addRow(self._label(tr("S&ession"), self.sessions), self.sessions)
        form.setRowVisible(self.sessions, self.sessions.count() > 1)
        history = QVBoxLayout()
        history.addWidget(self.as_held)
        history.addWidget(self.as_repaired)
        form.addRow(tr("The history"), history)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        self.finish_layout(column, self.view)

    def _label(self, title: str, box: QComboBox) -> SafeLabel:
        label = SafeLabel(title, self)
        label.setBuddy(box)
        box.setAccessibleName(title.replace("&", ""))
        return label


def _tokens(answer: TrimPreview) -> tuple[str, str]:
    """Return the recorded tokens before and after; unknown values are never estimated."""
    unknown = tr("not recorded")
    if answer.tokens_before is None:
        return unknown, unknown
    known = answer.tokens_after not in (None, answer.tokens_before)
    after = tr("about {tokens_after:,}", tokens_after=answer.tokens_after) if known else tr("not known")
    return f"{answer.tokens_before:,}", after
