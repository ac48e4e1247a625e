"""Above the preview: by which preset, for which provider, and in whose words a repair is made."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QToolButton, QWidget

from inspector.core.known_texts.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.showing.answers import SessionSummary
from inspector.gui.basics import words
from inspector.gui.basics.action_table import Action
from inspector.gui.basics.actions import Actions
from inspector.gui.basics.gate import Label, set_tip, tip
from inspector.gui.basics.plain_text import one_line
from inspector.gui.basics.settings import Settings
from inspector.gui.document.document import Document
from inspector.gui.panels.elided_box import ElidedBox
from inspector.gui.panels.questions import Questions

_OWN_WORDS = "\n"  # no wording has this name, and no text of a person's own is only this
_SHOWN_CHARS = 60


class RepairOptions(QWidget):
    """Three boxes, one more where a log holds several sessions, and the buttons that take choices back."""

    def __init__(
        self, document: Document, actions: Actions, settings: Settings, questions: Questions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._document, self._settings, self._questions = document, settings, questions
        self.presets = self._box(self.tr("Preset"))
        self.presets.activated.connect(lambda: document.repair.choose_preset(self.presets.currentData()))
        self.own_preset = self._box(self.tr("Preset of this session"))
        self.own_preset.activated.connect(self._on_own_preset_activated)
        self.profiles = self._box(self.tr("Provider to repair for"))
        self.profiles.activated.connect(lambda: document.repair.choose_profile(self.profiles.currentData()))
        self.wordings = self._box(self.tr("Wording of placeholders"))
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
                title = words.preset(name)
                text = title if not label or label.startswith(title) else f"{title} – {label}"
                _add(self.presets, text, name, label)
            _widen(self.presets)
            self._fill_own_presets(presets)
        self._fill_profiles()
        self._on_choices_changed()

    def _fill_own_presets(self, presets: tuple[tuple[str, str], ...]) -> None:
        self.own_preset.clear()
        _add(self.own_preset, self.tr("as all sessions"), "")
        for name, label in presets:
            _add(self.own_preset, words.preset(name), name, label)
        _widen(self.own_preset)

    def _show_own_preset(self) -> None:
        """That of the session which the current row is in; a log of one session has no need of it."""
        log, session = self._document.log, self._session()
        sessions = log.overview.sessions if log else ()
        for widget in (self.own_preset, self._own_label):
            widget.setVisible(len(sessions) > 1)
        if len(sessions) > 1 and session is not None:
            chosen = self._document.repair.preset_of_session(key_of_session(session, sessions))
            self.own_preset.setCurrentIndex(max(self.own_preset.findData(chosen), 0))
            set_tip(self.own_preset, f"{self.tr('Session:')} {one_line(session.title or session.id, _SHOWN_CHARS)}")

    def _session(self) -> SessionSummary | None:
        document = self._document
        sessions = document.log.overview.sessions if document.log else ()
        number = max(document.log.session_of(document.node), 0) if document.log else 0
        return sessions[number] if number < len(sessions) else None

    def _on_own_preset_activated(self) -> None:
        log, session = self._document.log, self._session()
        if log is not None and session is not None:
            key = key_of_session(session, log.overview.sessions)
            self._document.repair.choose_preset_of_session(key, self.own_preset.currentData())

    def _fill_profiles(self) -> None:
        log = self._document.log
        own = {session.profile for session in log.overview.sessions} if log else set()
        stored = ", ".join(words.profile(name) for name in sorted(own))
        self.profiles.clear()
        _add(self.profiles, f"{self.tr('its own')} ({stored})" if stored else self.tr("its own"), "")
        for name in words.PROFILE:
            if own != {name}:
                _add(self.profiles, words.profile(name), name)
        _widen(self.profiles)

    def _on_choices_changed(self) -> None:
        choices = self._document.repair.choices
        self.presets.setCurrentIndex(max(self.presets.findData(choices.preset), 0))
        self.profiles.setCurrentIndex(max(self.profiles.findData(choices.profile), 0))
        self._show_wording(choices.wording)
        self._show_own_preset()

    def _show_wording(self, wording: str) -> None:
        self.wordings.clear()
        _add(self.wordings, self.tr("as the preset says"), "")
        for each in PLACEHOLDER_WORDINGS.values():
            claims = self.tr("It claims ") + each.claims + self.tr(", which no log can tell.") if each.claims else ""
            _add(self.wordings, words.system(each.name), each.name, f"{each.text}\n{claims}".strip())
        if wording and wording not in PLACEHOLDER_WORDINGS:
            _add(self.wordings, one_line(wording, _SHOWN_CHARS), wording, wording)
        _add(self.wordings, self.tr("In your own words…"), _OWN_WORDS)
        self.wordings.setCurrentIndex(max(self.wordings.findData(wording), 0))
        _widen(self.wordings)

    def _on_wording_activated(self) -> None:
        chosen, current = self.wordings.currentData(), self._document.repair.choices.wording
        if chosen == _OWN_WORDS:
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
        box = ElidedBox(self)
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(10)
        return box

    def _lay_out(self, actions: Actions) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 8, 8, 8)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        self._own_label = Label(self.tr("This session"), self)
        for row, column, label, box, span in (
            (0, 0, Label(self.tr("Repair"), self), self.presets, 3),
            (1, 0, self._own_label, self.own_preset, 3),
            (2, 0, Label(self.tr("For"), self), self.profiles, 1),
            (2, 2, Label(self.tr("Words"), self), self.wordings, 4),
        ):
            label.setBuddy(box)
            grid.addWidget(label, row, column)
            grid.addWidget(box, row, column + 1, 1, span)
        for place, action in enumerate((Action.UNDO, Action.REDO, Action.REVERT)):
            button = QToolButton(self)
            button.setDefaultAction(actions[action])
            button.setAutoRaise(True)
            grid.addWidget(button, 0, 4 + place)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)


def key_of_session(session: SessionSummary, sessions: tuple[SessionSummary, ...]) -> str:
    """What names a session in the choices: its id where no other one has it, else its number."""
    alone = [other.id for other in sessions].count(session.id) == 1
    return session.id if session.id and alone else str(session.number)


def _add(box: QComboBox, text: str, data: str, more: str = "") -> None:
    box.addItem(text, data)
    box.setItemData(box.count() - 1, tip(more), Qt.ItemDataRole.ToolTipRole)


def _widen(box: QComboBox) -> None:
    """A list as wide as its longest entry: the box itself may be narrower."""
    popup = box.view()
    popup.setMinimumWidth(max(popup.sizeHintForColumn(0) + 24, box.width()))
