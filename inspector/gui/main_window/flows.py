"""The flows of a window: what takes more than one step, each made once and asked for by the actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.gui.dialogs.report_dialog import Listed
from inspector.gui.flows.copy_flow import CopyFlow
from inspector.gui.flows.forget_flow import ForgetFlow
from inspector.gui.flows.mend_flow import MendFlow
from inspector.gui.flows.pass_on_flow import PassOnFlow
from inspector.gui.flows.paste_flow import PasteFlow
from inspector.gui.flows.report_flow import ReportFlow
from inspector.gui.flows.restore_flow import RestoreFlow
from inspector.gui.flows.save_flow import SaveFlow

if TYPE_CHECKING:
    from inspector.gui.main_window.window import MainWindow


class Flows:
    """Panes are asked for when a flow needs them: there are none yet when flows are made."""

    def __init__(self, window: MainWindow) -> None:
        document, questions, survey = window.document, window.prompts, window.log_list
        listed = Listed(
            survey.process,
            lambda: survey.busy,
            lambda: window.logs.selected_logs(),
            lambda notice: window.logs.show_notice(notice),
        )
        self.paste = PasteFlow(window.error_lookup, questions, window.open_all, window.shows_log)
        self.save = SaveFlow(document, questions)
        self.copies = CopyFlow(document, questions, window, window.show_repair)
        self.repair = MendFlow(document, questions, window, window.show_repair)
        self.restore = RestoreFlow(document, questions, window.show_path, window)
        self.report = ReportFlow(document, listed, questions, window)
        self.share = PassOnFlow(document, questions, self.save, window)
        self.forget = ForgetFlow(document, window.settings, questions, window)
