"""The side tab that shows the planned repair before anything is written.

It contains the options of the repair, its changes, its outcome, and the unanswered calls.
"""

from bisect import bisect_left, bisect_right

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.core.presentation.engine_results import SessionSummary
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.translation import tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.actions import ACTION_TABLE, Action, WindowActions
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.safe_text import SafeLabel, safe_tooltip, set_safe_tooltip, to_one_line
from inspector.gui.common.settings import Settings
from inspector.gui.common.ui_text import tr
from inspector.gui.models.base import TableModel
from inspector.gui.models.changes_model import ChangesModel
from inspector.gui.models.list_columns import OPEN_CALLS_TABLE, open_side_effect_rows
from inspector.gui.panels.diff_view import DiffView
from inspector.gui.state.document import Document
from inspector.gui.widgets.inputs import ElidedComboBox
from inspector.gui.widgets.item_views import RowPainter, set_up_columns, set_up_list, set_up_table
from inspector.gui.widgets.labels import EmptyState
from inspector.gui.widgets.scroll_areas import IconLine, IconLineList

_LOSSES = 50
_LOSS_CHARS = 160
_CUSTOM_WORDING = "\n"  # differs from every wording and from any text that a person enters
_SHOWN_CHARS = 60
_MIN_HEIGHT = 54
_MIN_CHARS = 50  # average characters of the font, in the width of the panel
_LIST_ROWS = 5  # of the list of changes at first
_MAX_ROWS = 6
# In the order in which a log that allows several of them is best saved.
_SAVES = {
    Action.SAVE_NEW_SESSION: "new-session",
    Action.SAVE_COPY: "copy",
    Action.SAVE_IN_PLACE: "in-place",
}


class RepairPanel(QWidget):
    """The repair: options, changes, outcome, unanswered calls, and the buttons that save."""

    def __init__(
        self,
        document: Document,
        actions: WindowActions,
        settings: Settings,
        prompts: DialogQuestions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self.options = RepairOptionsBar(document, actions, settings, prompts, self)
        self.changes = ChangesPanel(document, actions, self)
        self.outcome = IconLineList(lambda: outcome_lines(document), tr("Result of the repair"), self)
        self.open_calls = OpenCallsStrip(document, self)
        self._lay_out(actions)
        document.repair.plan_changed.connect(self._on_plan_changed)
        document.log_changed.connect(self._mark_primary)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._document.open_calls.request()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.outcome.set_limit(self.height() // 8)
        self._arrange_saves()
        self.changes.fit_bar(self.width())

    def minimumSizeHint(self) -> QSize:
        """Return the size of the narrow arrangement: it is chosen where there is no room for the wide one."""
        return QSize(_MIN_CHARS * self.fontMetrics().averageCharWidth(), super().minimumSizeHint().height())

    def focus_save(self) -> None:
        """Show a change, and focus the button of the save that this log allows."""
        if self._document.selection.change < 0:
            self.changes.step(1)
        self.primary.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_plan_changed(self) -> None:
        if self.isVisible():
            self._document.open_calls.request()
        self.outcome.refresh()
        self._show_whether_needed()

    def _show_whether_needed(self) -> None:
        log, plan = self._document.log, self._document.repair.plan
        idle = log is not None and not len(log.findings) and (plan is None or not len(plan))
        if idle:
            self._nothing.show_text("ok", theme.SUCCESS, tr("There is nothing to repair because the log is healthy."))
        self._middle.setCurrentWidget(self._nothing if idle else self.changes)

    def _lay_out(self, actions: WindowActions) -> None:
        self._nothing = EmptyState(self)
        self._middle = QStackedWidget(self)
        self._middle.addWidget(self.changes)
        self._middle.addWidget(self._nothing)
        self.options.hide()
        self.changes.options_button.toggled.connect(self.options.setVisible)
        self._saves = QGridLayout()
        self._saves.setContentsMargins(12, 5, 12, 6)
        self._saves.setSpacing(6)
        self._save_label = SafeLabel(tr("Save"), self)
        self._save_buttons = {mode: actions.make_button(action, self) for action, mode in _SAVES.items()}
        stack_vertically(
            self,
            self.changes.bar,
            self.options,
            self._middle,
            self.outcome,
            self.open_calls,
            self._saves,
            grows=self._middle,
        )
        self._arrange_saves()
        self._mark_primary()

    def _arrange_saves(self) -> None:
        """Lay out the buttons that save in a row, or in a narrow panel the first above the others."""
        narrow = self.width() < _row_width(self._saves, self._save_label, *self._save_buttons.values())
        self._save_label.setVisible(not narrow)
        self._saves.addWidget(self._save_label, 0, 0)
        for place, button in enumerate(self._save_buttons.values(), 1):
            if narrow:
                self._saves.addWidget(button, min(place - 1, 1), max(place - 1, 1), 1, 2 if place == 1 else 1)
            else:
                self._saves.addWidget(button, 0, place)

    @property
    def primary(self) -> QPushButton:
        """The button of the first save that this log allows."""
        log = self._document.log
        modes = log.overview.save_modes if log is not None else ()
        return next(
            (button for mode, button in self._save_buttons.items() if mode in modes), self._save_buttons["copy"]
        )

    def _mark_primary(self) -> None:
        primary = self.primary
        icons = {mode: ACTION_TABLE[action].icon for action, mode in _SAVES.items()}
        for mode, button in self._save_buttons.items():
            theme.mark_primary(button, button is primary, icons[mode])


class RepairOptionsBar(QWidget):
    """The options of a repair: preset, provider and wording, and the buttons that undo choices.

    A log of several sessions has a fourth box, with the preset of the current session.
    """

    def __init__(
        self, document: Document, actions: WindowActions, settings: Settings, prompts: DialogQuestions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._document, self._settings, self._questions = document, settings, prompts
        self.presets = self._box(tr("Preset"))
        self.presets.activated.connect(lambda: document.repair.choose_preset(self.presets.currentData()))
        self.own_preset = self._box(tr("Preset for this session"))
        self.own_preset.activated.connect(self._on_own_preset_activated)
        self.profiles = self._box(tr("Target provider for the repair"))
        self.profiles.activated.connect(lambda: document.repair.choose_profile(self.profiles.currentData()))
        self.wordings = self._box(tr("Placeholder"))
        self.wordings.activated.connect(self._on_wording_activated)
        self._lay_out(actions)
        document.repair.default_wording = settings.wording
        document.log_changed.connect(self._on_log_changed)
        document.place_changed.connect(self._show_own_preset)
        document.repair.choices_changed.connect(self._on_choices_changed)

    def _on_log_changed(self) -> None:
        log = self._document.log
        presets = log.overview.presets if log else ()
        if [self.presets.itemData(row) for row in range(self.presets.count())] != [name for name, _ in presets]:
            self.presets.clear()
            for name, label in presets:
                title = ui_text.preset_label(name)
                text = title if not label or label.startswith(title) else f"{title} – {label}"
                _add(self.presets, text, name, label)
            _widen(self.presets)
            self._fill_own_presets(presets)
        self._fill_profiles()
        self._on_choices_changed()

    def _fill_own_presets(self, presets: tuple[tuple[str, str], ...]) -> None:
        self.own_preset.clear()
        _add(self.own_preset, tr("same as for all sessions"), "")
        for name, label in presets:
            _add(self.own_preset, ui_text.preset_label(name), name, label)
        _widen(self.own_preset)

    def _show_own_preset(self) -> None:
        """Show the preset of the session of the current row; hide the box for a log of one session."""
        log, session = self._document.log, self._session()
        sessions = log.overview.sessions if log else ()
        for widget in (self.own_preset, self._own_label):
            widget.setVisible(len(sessions) > 1)
        if len(sessions) > 1 and session is not None:
            chosen = self._document.repair.preset_of_session(session_key(session, sessions))
            self.own_preset.setCurrentIndex(max(self.own_preset.findData(chosen), 0))
            set_safe_tooltip(
                self.own_preset,
                tr("Session: {text}", text=to_one_line(session.title or session.id, _SHOWN_CHARS)),
            )

    def _session(self) -> SessionSummary | None:
        document = self._document
        sessions = document.log.overview.sessions if document.log else ()
        number = max(document.log.session_of(document.node), 0) if document.log else 0
        return sessions[number] if number < len(sessions) else None

    def _on_own_preset_activated(self) -> None:
        log, session = self._document.log, self._session()
        if log is not None and session is not None:
            key = session_key(session, log.overview.sessions)
            self._document.repair.choose_preset_of_session(key, self.own_preset.currentData())

    def _fill_profiles(self) -> None:
        log = self._document.log
        own_profiles = {session.profile for session in log.overview.sessions} if log else set()
        stored = ", ".join(ui_text.profile_label(name) for name in sorted(own_profiles))
        self.profiles.clear()
        _add(self.profiles, tr("from the log ({stored})", stored=stored) if stored else tr("from the log"), "")
        for name in ui_text.PROFILE_NAMES:
            if own_profiles != {name}:
                _add(self.profiles, ui_text.profile_label(name), name)
        _widen(self.profiles)

    def _on_choices_changed(self) -> None:
        choices = self._document.repair.choices
        self.presets.setCurrentIndex(max(self.presets.findData(choices.preset), 0))
        self.profiles.setCurrentIndex(max(self.profiles.findData(choices.profile), 0))
        self._show_wording(choices.wording)
        self._show_own_preset()

    def _show_wording(self, wording: str) -> None:
        self.wordings.clear()
        _add(self.wordings, tr("preset's default"), "")
        for each in PLACEHOLDER_WORDINGS.values():
            claims = tr("{claim} This claim cannot be verified from a log.", claim=each.claims) if each.claims else ""
            _add(self.wordings, ui_text.program_label(each.name), each.name, f"{each.text}\n{claims}".strip())
        if wording and wording not in PLACEHOLDER_WORDINGS:
            _add(self.wordings, to_one_line(wording, _SHOWN_CHARS), wording, wording)
        _add(self.wordings, tr("Custom text…"), _CUSTOM_WORDING)
        self.wordings.setCurrentIndex(max(self.wordings.findData(wording), 0))
        _widen(self.wordings)

    def _on_wording_activated(self) -> None:
        chosen, current = self.wordings.currentData(), self._document.repair.choices.wording
        if chosen == _CUSTOM_WORDING:
            template = (
                PLACEHOLDER_WORDINGS[current].text
                if current in PLACEHOLDER_WORDINGS
                else current or PLACEHOLDER_WORDINGS["honest"].text
            )
            chosen = self._questions.wording(template)
            if not chosen:
                self._show_wording(current)
                return
        self._settings.wording = self._document.repair.default_wording = chosen
        self._document.repair.choose_wording(chosen)

    def _box(self, name: str) -> QComboBox:
        box = ElidedComboBox(self)
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(10)
        return box

    def _lay_out(self, actions: WindowActions) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 8, 8, 8)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        self._own_label = SafeLabel(tr("This session"), self)
        for row, (label, box) in enumerate(
            (
                (SafeLabel(tr("Repair"), self), self.presets),
                (self._own_label, self.own_preset),
                (SafeLabel(tr("Check for"), self), self.profiles),
                (SafeLabel(tr("Placeholder"), self), self.wordings),
            )
        ):
            label.setBuddy(box)
            grid.addWidget(label, row, 0)
            grid.addWidget(box, row, 1, 1, 1 if box is self.presets else 4)
        for place, action in enumerate((Action.UNDO, Action.REDO, Action.REVERT)):
            button = QToolButton(self)
            button.setDefaultAction(actions[action])
            button.setAutoRaise(True)
            grid.addWidget(button, 0, 2 + place)
        grid.setColumnStretch(1, 1)


class ChangesPanel(QSplitter):
    """The list of planned changes, and both sides of the selected one."""

    def __init__(self, document: Document, actions: WindowActions, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._document = document
        self._is_narrow = False
        self.model = ChangesModel(self)
        self.view = QTreeView(self)
        self.compare = DiffView(document, self)
        set_up_list(self.view, self.model, tr("Changes"), _MIN_HEIGHT)
        painter = RowPainter(self.font())
        set_up_columns(self.view, self.model.TABLE.columns, painter)
        self.view.selectionModel().currentChanged.connect(self._on_current_changed)
        self.view.setHeaderHidden(True)
        self._make_bar(actions, parent)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self.addWidget(self.view)
        self.addWidget(self.compare)
        self.setSizes([_LIST_ROWS * painter.row_height, 400])
        self.setStretchFactor(1, 1)
        document.repair.plan_changed.connect(self._on_plan_changed)
        document.place_changed.connect(self._follow)

    def fit_bar(self, width: int) -> None:
        """Shorten the number of the change where the bar has no room for all of it."""
        others = (self.previous, self.next, self._decision, self.options_button)
        narrow = width < self._number_width + _row_width(self._bar_row, *others)
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._number.setMinimumWidth(0 if narrow else self._number_width)
            self._number_changes()

    def step(self, by: int) -> None:
        """Select the next change, or with -1 the previous one, skipping what is unchanged."""
        plan, change = self._document.repair.plan, self._document.selection.change
        if plan is not None:
            at = bisect_right(plan.edited, change) if by > 0 else bisect_left(plan.edited, change) - 1
            if 0 <= at < len(plan.edited):
                self._document.selection.select_change(plan.edited[at])

    def _make_bar(self, actions: WindowActions, parent: QWidget | None) -> None:
        """Make the bar above the list: the number of the change, its neighbours, its decision, and the options."""
        self.bar = QWidget(parent)
        self._number = SafeLabel(parent=self.bar)
        self.previous = self._step_button("previous", tr("Previous change"), -1)
        self.next = self._step_button("next", tr("Next change"), 1)
        self.options_button = QToolButton(self.bar)
        self.options_button.setText(tr("Options…"))
        self.options_button.setCheckable(True)
        set_safe_tooltip(self.options_button, tr("Choose a preset, a provider, and the placeholder text"))
        self._reject = actions.make_button(Action.REJECT_CHANGE, self.bar, tr("Reject"))
        self._accept = actions.make_button(Action.ACCEPT_CHANGE, self.bar, tr("Accept again"))
        # Neither the number nor the decision moves what is next to it.
        self._decision = QStackedWidget(self.bar)
        self._decision.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for button in (self._reject, self._accept):
            self._decision.addWidget(button)
        widest = tr("Change {number:,} of {total:,}", number=888, total=888)
        self._number_width = self._number.fontMetrics().horizontalAdvance(widest)
        self._number.setMinimumWidth(self._number_width)
        row = self._bar_row = QHBoxLayout(self.bar)
        row.setContentsMargins(12, 5, 8, 4)
        row.setSpacing(4)
        for part in (self._number, self.previous, self.next, self._decision):
            row.addWidget(part)
        row.addStretch()
        row.addWidget(self.options_button)
        self._number_changes()

    def _step_button(self, icon: str, name: str, by: int) -> QToolButton:
        button = QToolButton(self.bar)
        button.setIcon(theme.icon(icon, self.palette()))
        button.setAutoRaise(True)
        button.setAccessibleName(name)
        set_safe_tooltip(button, name)
        button.clicked.connect(lambda: self.step(by))
        return button

    def _number_changes(self) -> None:
        """Show which change is selected, and the decision that is possible for it."""
        draft, change = self._document.repair, self._document.selection.change
        edited = draft.plan.edited if draft.plan is not None else ()
        at = bisect_left(edited, change)
        if at < len(edited) and edited[at] == change:
            text = (
                tr("{number:,} of {total:,}", number=at + 1, total=len(edited))
                if self._is_narrow
                else tr("Change {number:,} of {total:,}", number=at + 1, total=len(edited))
            )
        else:
            text = tr_plural("{number:,} change", "{number:,} changes", len(edited))
        self._number.setText(text)
        self.previous.setEnabled(at > 0)
        self.next.setEnabled(bisect_right(edited, change) < len(edited))
        rejected = draft.rejectable_change(change, rejected=True) is not None
        self._decision.setCurrentWidget(self._accept if rejected else self._reject)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # A pane that grows must not push the current change out of sight.
        super().resizeEvent(event)
        self.view.scrollTo(self.view.currentIndex())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for button, icon in ((self.previous, "previous"), (self.next, "next")):
                button.setIcon(theme.icon(icon, self.palette()))

    def _on_plan_changed(self) -> None:
        draft = self._document.repair
        if draft.planning and draft.plan is not None:
            return  # The old plan stays until the new one is there.
        self.model.show(draft.plan)
        self.view.setRootIsDecorated(self.model.hasChildren(self.model.index(0, 0)))
        self._follow()

    def _follow(self) -> None:
        """Show the change that is selected."""
        change, current = self._document.selection.change, self.view.currentIndex()
        positions = self.model.positions(current)
        self._number_changes()
        if not positions or positions.start != change:
            index = self.model.index_of_leaf(change)
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)

    def _on_current_changed(self, current: QModelIndex) -> None:
        if positions := self.model.positions(current):
            self._document.selection.select_change(positions.start)


class OpenCallsStrip(QWidget):
    """The unanswered calls that may have changed something: a line that unfolds to a list.

    It is hidden when there are none. A click on a call goes to it.
    """

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self.head = QToolButton(self)
        self.head.setCheckable(True)
        self.head.setAutoRaise(True)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.head.toggled.connect(self._on_toggled)
        self.model = TableModel(OPEN_CALLS_TABLE, self)
        self.view = QTreeView(self)
        name = tr("Calls that have no result but may have changed something")
        self._row_height = set_up_table(self.view, self.model, name, chosen=self._on_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 2, 8, 2)
        column.setSpacing(2)
        column.addWidget(self.head)
        column.addWidget(self.view)
        self.view.hide()
        self.hide()
        document.open_calls.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the number of calls, and the list."""
        self.model.show(open_side_effect_rows(self._document.log, self._document.open_calls.evidence))
        count = self.model.rowCount()
        if not count:
            self.head.setChecked(False)
        self.head.setText(
            tr_plural(
                "{number:,} call without a result may have changed something",
                "{number:,} calls without a result may have changed something",
                count,
            )
        )
        set_safe_tooltip(
            self.head,
            tr(
                "The log contains no results that show what these calls did. Before you repair or resume the "
                "session, check what each call was meant to do."
            ),
        )
        self.head.setAccessibleName(self.head.text())
        self._fit()
        self._paint()
        self.setVisible(count > 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint()

    def _paint(self) -> None:
        name = "expand" if self.head.isChecked() else "collapse"
        self.head.setIcon(theme.icon(name, self.palette(), theme.WARNING))

    def _on_toggled(self, unfolded: bool) -> None:
        self.view.setVisible(unfolded)
        self._paint()
        if unfolded:
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_chosen(self, index: QModelIndex) -> None:
        row = self.model.row(index)
        if row is not None:
            self._document.select_finding(row.position)

    def _fit(self) -> None:
        rows = min(self.model.rowCount(), _MAX_ROWS) + 1
        self.view.setFixedHeight(rows * self._row_height + 8)


def _row_width(layout: QLayout, *parts: QWidget) -> int:
    """Return the width in pixels that these parts need next to each other in a layout."""
    margins = layout.contentsMargins()
    widths = sum(part.minimumSizeHint().width() for part in parts)
    return margins.left() + widths + len(parts) * layout.spacing() + margins.right()


def outcome_lines(document: Document) -> list[IconLine]:
    """Return lines for the outcome of the current plan: who would accept it, what the agent does, what is lost."""
    draft = document.repair
    if draft.failure:
        return [("error", theme.ERROR, draft.failure)]
    if draft.plan is None:
        return [("pending", theme.INFO, tr("Planning the repair…"))]
    summary = draft.plan.summary
    accepted, targets = summary.accepted, document.target_profiles
    if not summary.verified:
        # The reason says what the providers of the log refuse, and what else is to be known about it.
        accepted = {name: refusal for name, refusal in accepted.items() if refusal is None or name not in targets}
    lines = acceptance_lines(accepted, summary.not_run, targets)
    if not summary.verified:
        lines.append(("error", theme.ERROR, draft.why_not_writable))
    if summary.on_resume:
        lines.append(("session", theme.INFO, summary.on_resume))
    if draft.choices.results_from:
        names = ", ".join(to_one_line(hiding.display_name(path), _LOSS_CHARS) for path in draft.choices.results_from)
        lines.append(("link", theme.INFO, tr("Missing results are copied from {names}.", names=names)))
    if summary.caveat:
        lines.append(("info", theme.INFO, tr("About the preset: {caveat}", caveat=summary.caveat)))
    lines += [("info", theme.INFO, sentence) for sentence in summary.unmet[:_LOSSES]]
    lines += [("warning", theme.WARNING, fault) for fault in summary.faults]
    lines += [("info", theme.INFO, effect) for effect in summary.effects[:_LOSSES]]
    lines += [("added", theme.SUCCESS, sentence) for sentence in summary.recovered[:_LOSSES]]
    lines += [("warning", theme.WARNING, sentence) for sentence in summary.unused_results[:_LOSSES]]
    if not (summary.losses or summary.recovered or summary.unused_results):
        lines.append(("ok", theme.SUCCESS, tr("Nothing is lost.")))
    return lines + loss_lines(tr("Lost: {loss}"), summary.losses, _LOSSES)


def acceptance_lines(accepted: dict[str, str | None], not_run: tuple[str, ...], targets: set[str]) -> list[IconLine]:
    """Return lines that say which providers would accept a planned history.

    `accepted` maps a profile to its refusal, or to None if it accepts; `not_run` are the checks that did not run. A
    refusal is an error for the profiles in `targets`, and information for the others.
    """
    lines: list[IconLine] = []
    if takers := [ui_text.profile_label(name) for name, refusal in accepted.items() if refusal is None]:
        text = tr("Accepted by {providers}", providers=", ".join(takers))
        if not_run:
            text = tr(
                "{accepted}, but some checks were skipped: {checks}",
                accepted=text,
                checks=", ".join(not_run),
            )
        lines.append(("ok", theme.SUCCESS, text))
    for name, refusal in accepted.items():
        if refusal is not None:
            icon, colour = ("error", theme.ERROR) if name in targets else ("info", theme.INFO)
            lines.append(
                (
                    icon,
                    colour,
                    tr(
                        "{provider} would reject the session: {refusal}",
                        provider=ui_text.profile_label(name),
                        refusal=refusal,
                    ),
                )
            )
    return lines


def loss_lines(template: str, losses: tuple[str, ...], most: int) -> list[IconLine]:
    """Return lines for the first `most` losses, and one that counts the others."""
    sentences = [tr(template, loss=to_one_line(loss, _LOSS_CHARS)) for loss in losses[:most]]
    if len(losses) > most:
        sentences.append(tr_plural("{number:,} more loss", "{number:,} more losses", len(losses) - most))
    return [("warning", theme.WARNING, sentence) for sentence in sentences]


def session_key(session: SessionSummary, sessions: tuple[SessionSummary, ...]) -> str:
    """Return the key of a session in the choices: its id if that is unique, else its number."""
    alone = [other.id for other in sessions].count(session.id) == 1
    return session.id if session.id and alone else str(session.number)


def _add(box: QComboBox, text: str, data: str, more: str = "") -> None:
    box.addItem(text, data)
    box.setItemData(box.count() - 1, safe_tooltip(more), Qt.ItemDataRole.ToolTipRole)


def _widen(box: QComboBox) -> None:
    """Make the popup of a box as wide as its longest entry: the box itself may be narrower."""
    popup = box.view()
    popup.setMinimumWidth(max(popup.sizeHintForColumn(0) + 24, box.width()))
