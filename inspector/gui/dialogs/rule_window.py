"""The window with the help page of a rule."""

import re

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialogButtonBox, QVBoxLayout, QWidget

from inspector.core.presentation.engine_results import RulePage
from inspector.gui.common import ui_text
from inspector.gui.common.qt_helpers import fit_to_screen, show_beside
from inspector.gui.common.safe_text import set_window_title
from inspector.gui.common.ui_text import tr
from inspector.gui.widgets.text_views import PlainTextView
from inspector.gui.worker.child_client import ChildProcess, RequestFailure
from inspector.gui.worker.requests import RULE_PAGE

_HEADING = re.compile(r"(What it finds|Why it matters|Example|Repairs): ?")


class RuleWindow(QWidget):
    """The window with the help page of a rule; Escape closes it."""

    def __init__(self, process: ChildProcess, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._process = process
        self.view = PlainTextView(tr("About this rule"), parent=self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.close)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view, 1)
        buttons.setContentsMargins(10, 2, 10, 10)
        column.addWidget(buttons)
        fit_to_screen(self, QSize(720, 620))
        process.answer_signal(RULE_PAGE).connect(self._on_page_come)
        process.failed.connect(self._on_failed)

    def open(self, rule: str) -> None:
        """Show the page of a rule, named by its code."""
        set_window_title(self, rule)
        self.view.show_text(tr("Loading the page…"))
        self._process.ask(RULE_PAGE, rule)
        show_beside(self)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _on_page_come(self, page: RulePage) -> None:
        set_window_title(self, f"{ui_text.rule_title(page.slug, page.code)} ({page.code})")
        self.view.show_text(*format_rule_page(page))

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is RULE_PAGE:
            self.view.show_text(failure.sentence)


def format_rule_page(page: RulePage) -> tuple[str, list[int]]:
    """Return the text of the page, and the numbers of the lines that are headings."""
    lines, headings = [f"{ui_text.rule_title(page.slug, page.code)} ({page.code})"], [0]

    def head(title: str) -> None:
        lines.append("")
        headings.append(len(lines))
        lines.append(title)

    for title, text in _sections(page.text):
        if title:
            head(tr(title))
        # An example is shown as it is written, and the repairs begin with a name.
        lines += text.split("\n") if title in ("Example", "Repairs") else [text[:1].upper() + text[1:]]
    if page.answers:
        head(tr("How each provider would respond"))
        by_text: dict[str, list[str]] = {}
        for profile, answer in page.answers:
            by_text.setdefault(answer, []).append(ui_text.profile_label(profile))
        lines += [f"• {', '.join(profiles)}: {answer}" for answer, profiles in by_text.items()]
    head(tr("Repairs, cheapest first"))
    for name, summary, _ in page.repairs:
        usual = tr(" · default") if name == page.default else ""
        detail = "" if name == "leave" else f" {summary}"
        cost = ui_text.strategy_cost_label(name, page.code)
        lines.append(f"• {ui_text.strategy_label(name)} ({name}) · {cost}{usual}.{detail}")
    return "\n".join(lines), headings


def _sections(text: str) -> list[tuple[str, str]]:
    """Return (heading, text) for each paragraph of the text of a rule.

    Wrapped lines are joined, since the window wraps them to its own width. The lines of an example are indented, and
    stay separate.
    """
    sections: list[tuple[str, str]] = []
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            sections.append((heading[1], line[heading.end() :].strip()))
        elif not line.strip() or not sections:
            sections.append(("", line.strip()))
        else:
            title, before = sections[-1]
            joined = f"{before}\n{line.strip()}" if line.startswith("  ") else f"{before} {line}"
            sections[-1] = title, joined.strip()
    return [section for section in sections if any(section)]
