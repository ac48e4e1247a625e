"""The status bar: what is open, the progress of reading and saving, and which checks did not run."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QStatusBar, QToolButton, QWidget

from inspector.core.text import format_bytes
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import ui_text
from inspector.gui.common.actions import Action, WindowActions
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import SafeLabel, set_safe_tooltip
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Phase

_STEPS = 1000
_SHOW_PROGRESS_AFTER_MS = 400


class StatusBar(QStatusBar):
    """The status bar; it follows the state of the document."""

    def __init__(self, document: Document, actions: WindowActions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        # A short plan or save ends before anyone could see it. Its progress is not shown, so that nothing flickers.
        self._works = False
        self._patience = QTimer(self, singleShot=True, interval=_SHOW_PROGRESS_AFTER_MS)
        self._patience.timeout.connect(self.refresh)
        self._facts = SafeLabel(parent=self)
        self._facts.setContentsMargins(10, 0, 0, 0)
        self.skipped = QToolButton(self)
        self.skipped.setAutoRaise(True)
        self.skipped.clicked.connect(document.check_deeply)
        self._bar = QProgressBar(self)
        self._bar.setFixedWidth(180)
        self._bar.setTextVisible(False)
        self._stop = QToolButton(self)
        self._stop.setDefaultAction(actions[Action.CANCEL])
        self._stop.setAutoRaise(True)
        self.setSizeGripEnabled(False)
        self.addWidget(self._facts, 1)
        for widget in (self.skipped, self._bar, self._stop):
            self.addPermanentWidget(widget)
        document.state_changed.connect(self.refresh)
        document.log_changed.connect(self.refresh)
        document.repair.plan_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the current state."""
        document = self._document
        log, loading = document.log, document.phase == Phase.LOADING
        works = document.repair.planning or document.saving
        if works and not self._works:
            self._patience.start()
        self._works = works
        is_patient = self._patience.isActive()
        planning, saving = document.repair.planning and not is_patient, document.saving and not is_patient
        self._bar.setVisible(loading or planning or saving)
        self._bar.setAccessibleName(tr("Saving") if saving else tr("Reading"))
        self._stop.setVisible(loading or planning)
        done, total = document.progress if loading or saving else (0, 0)
        # What is read is checked afterwards, and how long that takes is not known.
        self._bar.setRange(0, _STEPS if done < total else 0)
        if done < total:
            self._bar.setValue(done * _STEPS // total)
        if log is None:
            self._facts.setText(tr("Reading…") if loading else "")
            self.skipped.hide()
            return
        overview = log.overview
        records: str = tr_plural("{number:,} record", "{number:,} records", len(log.starts))
        if not log.complete:
            records = tr("reading…") if loading else tr("only the first {records}", records=records)
        facts = [overview.format_label, format_bytes(overview.size), records]
        if overview.read_from:
            facts.append(tr("read from {wrapper}", wrapper=overview.read_from))
        if not overview.writable and overview.why_read_only and log.complete:
            facts.append(tr("read-only"))
        if hiding.salt(document.path):
            facts.append(tr("content hidden"))
        if planning:
            facts.append(tr("planning the repair…"))
        if saving:
            facts.append(tr("saving…"))
        self._facts.setText(" · ".join(facts))
        judged = any(session.verdict not in ("not-judged", "unreadable") for session in overview.sessions)
        skipped = overview.checks_skipped if log.complete and judged else ()
        self.skipped.setVisible(bool(skipped))
        self.skipped.setEnabled(not loading)
        self.skipped.setText(
            tr_plural("{number:,} check was skipped. Run it", "{number:,} checks were skipped. Run them", len(skipped))
        )
        reasons = "\n".join(ui_text.skipped_check_lines(skipped))
        set_safe_tooltip(
            self.skipped,
            tr("Read the log again and check every byte. Your choices are kept.\n{reasons}", reasons=reasons),
        )
