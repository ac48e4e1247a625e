"""The side tab that shows the repaired history before anything is written."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui.actions import Action, Actions
from inspector.gui.delegates.list_delegates import LineDelegate, MarkDelegate
from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.document import Document
from inspector.gui.models.changes_model import ChangeColumn, ChangesModel
from inspector.gui.panels.compare_view import CompareView
from inspector.gui.panels.list_view import set_up_list
from inspector.gui.panels.outcome_view import OutcomeView

_MIN_HEIGHT = 60


class RepairPanel(QWidget):
    """Preset, changes, both sides of the selected change, outcome, and the saves."""

    def __init__(self, document: Document, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.presets = QComboBox(self)
        self.presets.setAccessibleName(self.tr("Preset"))
        self.presets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.presets.setMinimumContentsLength(16)
        self.presets.activated.connect(self._on_preset_activated)
        self.model = ChangesModel(self)
        self.view = QTreeView(self)
        self.decide = QPushButton(self.tr("Reject this change"), self)
        self.decide.clicked.connect(self._on_decide_clicked)
        self.compare = CompareView(self)
        self.outcome = OutcomeView(document, self)
        self._set_up_view()
        self._lay_out(actions)
        document.log_changed.connect(self._on_log_changed)
        document.repair.choices_changed.connect(self._on_choices_changed)
        document.repair.plan_changed.connect(self._on_plan_changed)

    def _on_log_changed(self) -> None:
        log = self._document.log
        presets = log.overview.presets if log else ()
        if [self.presets.itemData(row) for row in range(self.presets.count())] != [name for name, _ in presets]:
            self.presets.clear()
            for name, label in presets:
                title = name.replace("-", " ").capitalize()
                self.presets.addItem(title if not label or label.startswith(title) else f"{title} – {label}", name)
                self.presets.setItemData(self.presets.count() - 1, label, Qt.ItemDataRole.ToolTipRole)
            popup = self.presets.view()
            popup.setMinimumWidth(max(popup.sizeHintForColumn(0) + 24, self.presets.width()))
        self._on_choices_changed()

    def _on_choices_changed(self) -> None:
        self.presets.setCurrentIndex(max(self.presets.findData(self._document.repair.choices.preset), 0))

    def _on_plan_changed(self) -> None:
        draft = self._document.repair
        self.outcome.refresh()
        self.view.setEnabled(not draft.planning)
        if draft.planning and draft.plan is not None:
            return
        row = self.model.leaf(self.view.currentIndex())
        self.model.show(draft.plan, draft.rejected())
        self.view.setRootIsDecorated(self.model.hasChildren(self.model.index(0, 0)))
        index = self.model.index_of_leaf(row)
        self.view.setCurrentIndex(index if index.isValid() else self.model.first_mending())
        self._show_change()

    def _on_preset_activated(self) -> None:
        self._document.repair.choose_preset(self.presets.currentData())

    def _on_current_changed(self, current: QModelIndex) -> None:
        self._show_change()

    def _on_clicked(self, index: QModelIndex) -> None:
        change, log = self.model.change(index), self._document.log
        if change and change.record is not None and log and change.record < len(log.outline.node_of_record):
            self._document.select_node(log.outline.node_of_record[change.record])

    def _on_decide_clicked(self) -> None:
        change = self.model.change(self.view.currentIndex())
        if change is None:
            return
        if change.mark == "rejected":
            self._document.repair.accept(change.finding_ids)
        else:
            self._document.repair.reject(change.finding_ids, change.summary)

    def _show_change(self) -> None:
        change = self.model.change(self.view.currentIndex())
        self.compare.show_change(change)
        rejected = change is not None and change.mark == "rejected"
        self.decide.setText(self.tr("Accept it again") if rejected else self.tr("Reject this change"))
        self.decide.setEnabled(change is not None and bool(change.finding_ids))

    def _set_up_view(self) -> None:
        view, tools = self.view, RowPainter(self.font())
        set_up_list(view, self.model, self.tr("Changes"), _MIN_HEIGHT)
        view.setItemDelegateForColumn(ChangeColumn.MARK, MarkDelegate(tools, view))
        view.setItemDelegateForColumn(ChangeColumn.LINE, LineDelegate(tools, view, right=True))
        view.setItemDelegateForColumn(ChangeColumn.SUMMARY, LineDelegate(tools, view))
        header = view.header()
        header.resizeSection(ChangeColumn.MARK, tools.width("unchanged") + 40)
        header.resizeSection(ChangeColumn.LINE, tools.width("88,888") + 14)
        header.setSectionResizeMode(ChangeColumn.SUMMARY, QHeaderView.ResizeMode.Stretch)
        view.selectionModel().currentChanged.connect(self._on_current_changed)
        view.clicked.connect(self._on_clicked)

    def _lay_out(self, actions: Actions) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 8, 8)
        head.setSpacing(6)
        label = QLabel(self.tr("Repair"), self)
        label.setBuddy(self.presets)
        head.addWidget(label)
        head.addWidget(self.presets, 1)
        for action in (Action.UNDO, Action.REDO, Action.REVERT):
            button = QToolButton(self)
            button.setDefaultAction(actions[action])
            button.setAutoRaise(True)
            head.addWidget(button)
        decide = QHBoxLayout()
        decide.setContentsMargins(12, 4, 12, 4)
        decide.addStretch()
        decide.addWidget(self.decide)
        top = QWidget(self)
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.view, 1)
        column.addLayout(decide)
        halves = QSplitter(Qt.Orientation.Vertical, self)
        halves.setHandleWidth(1)
        halves.setChildrenCollapsible(False)
        halves.addWidget(top)
        halves.addWidget(self.compare)
        halves.setSizes([300, 260])
        saves = QHBoxLayout()
        saves.setContentsMargins(12, 8, 12, 10)
        saves.addWidget(QLabel(self.tr("Save"), self))
        for action in (Action.SAVE_NEW_SESSION, Action.SAVE_COPY, Action.SAVE_IN_PLACE):
            saves.addWidget(actions.button(action, self))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(halves, 1)
        layout.addWidget(self.outcome)
        layout.addLayout(saves)
        self.setFocusProxy(self.view)
