"""The findings as a tree: severity, rule, (page,) finding."""

from enum import IntEnum
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt

from inspector.core.analysis.finding import Severity
from inspector.core.repair.choices import ADOPT_STRATEGY
from inspector.core.translation import tr
from inspector.gui.common import ui_text
from inspector.gui.common.safe_text import safe_tooltip, to_one_line
from inspector.gui.models.base import ColumnSpec, ItemRole, ModelIndex, PagedTreeModel, TableSpec
from inspector.gui.worker.packed_answers import FindingGroup, OpenedLog, PackedFindings


class FindingColumn(IntEnum):
    """The columns of the findings list."""

    FINDING = 0
    LINE = 1
    STRATEGY = 2


FINDINGS_TABLE = TableSpec[ModelIndex](
    (
        ColumnSpec(tr("Problem")),
        ColumnSpec(tr("Line"), widest_texts=("888,888",), padding=18, align_right=True),
        ColumnSpec(tr("Repair"), widest_texts=(ui_text.STRATEGY_WORDS["cut-tail"],), padding=50),
    )
)


class StrategyChoices(Protocol):
    """The part of the repair draft that the model uses."""

    def strategy_of_rule(self, group: FindingGroup) -> str: ...
    def strategy_of_finding(self, position: int) -> str: ...
    def is_offered(self, position: int) -> bool: ...
    def choose_for_rule(self, rule: str, strategy: str) -> None: ...
    def choose_for_finding(self, position: int, strategy: str) -> None: ...


class FindingsModel(PagedTreeModel):
    """The model of the findings of a log.

    The strategy of a rule or a finding is read from and set in `strategies`.
    """

    TABLE = FINDINGS_TABLE

    def __init__(self, strategies: "StrategyChoices", parent: QObject | None = None) -> None:
        self._book = PackedFindings()
        self._log: OpenedLog | None = None
        self._rules: dict[int, FindingGroup] = {}
        self._severities: dict[int, Severity] = {}
        self._strategies_of = strategies
        super().__init__(parent)

    def show(self, log: OpenedLog | None) -> None:
        """Show the findings of a log."""
        self.beginResetModel()
        self._log, self._book = log, log.findings if log else PackedFindings()
        self._rules, self._severities = {}, {}
        self.clear_groups()
        for severity in sorted(Severity, reverse=True):
            rules = [group for group in self._book.groups if group.severity == severity]
            if not rules:
                continue
            top = self.add_group(0, rules[0].start, rules[-1].stop, leaves=False)
            self._severities[top] = severity
            for rule in rules:
                self._rules[self.add_group(top, rule.start, rule.stop)] = rule
        self.endResetModel()

    def strategies_changed(self) -> None:
        """Refresh the column of strategies, because they may have changed.

        `dataChanged` covers the rows under one parent only, so it is emitted for each group.
        """
        for group in range(len(self._parents)):
            parent = self.index_of_group(group)
            first = self.index(0, FindingColumn.STRATEGY, parent)
            if first.isValid():
                self.dataChanged.emit(first, self.index(self.rowCount(parent) - 1, FindingColumn.STRATEGY, parent))

    def rule_of(self, index: ModelIndex) -> FindingGroup | None:
        """Return the rule of a rule row, None for other rows."""
        return self._rules.get(self.group(index))

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.column() == FindingColumn.STRATEGY and len(self._strategies(index)) > 1:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: PLR0911 - a return for each role
        if not index.isValid():
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(index)
            case ItemRole.POSITION:
                return self.leaf(index)
            case ItemRole.ICON:
                return self._icon(index)
            case ItemRole.STRATEGIES:
                return list(self._strategies(index))
            case ItemRole.STRATEGY:
                return self._strategy(index)
            case ItemRole.RULE:
                return self._rule(index)
            case ItemRole.COUNT if self.leaf(index) < 0:
                start, stop = self.range_of(self.group(index))
                return stop - start
            case Qt.ItemDataRole.AccessibleTextRole if index.column() == FindingColumn.FINDING:
                word = ui_text.SEVERITY_WORDS[self._severity(index)]
                return f"{word}: {self._text(index)}"
            case Qt.ItemDataRole.ToolTipRole if index.column() == FindingColumn.STRATEGY:
                chosen = self._strategy(index)
                return safe_tooltip(
                    f"{ui_text.strategy_label(chosen)} · {ui_text.strategy_cost_label(chosen, self._rule(index))}"
                    if chosen
                    else ""
                )
            case Qt.ItemDataRole.ToolTipRole:
                rule = self.rule_of(index)
                return safe_tooltip(f"{rule.rule} · {rule.slug}" if rule else "")
        return None

    def setData(self, index: ModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        leaf, rule = self.leaf(index), self.rule_of(index)
        if role != ItemRole.STRATEGY or value not in self._strategies(index) or value == self._strategy(index):
            return False
        if leaf >= 0:
            self._strategies_of.choose_for_finding(leaf, value)
        elif rule:
            self._strategies_of.choose_for_rule(rule.rule, value)
        return True

    def _text(self, index: ModelIndex) -> str:
        if index.column() == FindingColumn.STRATEGY:
            chosen = self._strategy(index)
            return ui_text.strategy_label(chosen) if chosen else ""
        leaf, group = self.leaf(index), self.group(index)
        if index.column() == FindingColumn.LINE:
            return self._line(leaf) if leaf >= 0 else ""
        if leaf >= 0:
            finding = self._book[leaf]
            named = (
                f"{finding.tool}: {finding.message}"
                if finding.tool and finding.tool not in finding.message
                else finding.message
            )
            return to_one_line(f"{finding.log}: {named}" if finding.log else named, 300)
        start, stop = self.range_of(group)
        if self.is_page(group):
            above = self.range_of(self.group(self.parent(index)))[0]
            return f"{start - above + 1:,} – {stop - above:,}"
        title = tr(ui_text.SEVERITY_TITLES[self._severities[group]]) if group in self._severities else ""
        rule = self._rules.get(group)
        if rule is None:
            return title
        return ui_text.rule_title(rule.slug, rule.rule) + (f" · {to_one_line(rule.log, 80)}" if rule.log else "")

    def _line(self, leaf: int) -> str:
        return f"{ui_text.location_display_number(self._book[leaf].place):,}"

    def _severity(self, index: ModelIndex) -> Severity:
        leaf, group = self.leaf(index), self.group(index)
        start = leaf if leaf >= 0 else self.range_of(group)[0]
        return Severity(self._book.groups[self._book.group_of(start)].severity)

    def _icon(self, index: ModelIndex) -> list[str | int] | None:
        if index.column() != FindingColumn.FINDING or self.is_page(self.group(index)):
            return None
        severity = self._severity(index)
        return [severity.word, int(severity)]

    def _rule(self, index: ModelIndex) -> str:
        """Return the rule of a finding or of a rule row, "" for other rows."""
        leaf, rule = self.leaf(index), self.rule_of(index)
        return self._book[leaf].rule if leaf >= 0 else rule.rule if rule else ""

    def _strategies(self, index: ModelIndex) -> tuple[str, ...]:
        leaf, rule = self.leaf(index), self.rule_of(index)
        if leaf >= 0:
            own = self._book[leaf].strategies
            if self._book[leaf].log:
                return ()
            return (*own, ADOPT_STRATEGY) if self._strategies_of.is_offered(leaf) else own
        return rule.strategies if rule and not rule.log else ()

    def _strategy(self, index: ModelIndex) -> str:
        leaf, rule = self.leaf(index), self.rule_of(index)
        if not self._strategies(index):
            return ""
        if leaf >= 0:
            return self._strategies_of.strategy_of_finding(leaf)
        return self._strategies_of.strategy_of_rule(rule) if rule else ""
