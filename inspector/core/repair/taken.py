"""Which strategy is taken for a finding: what the person named, where it fits, else that of a preset or rule."""

from inspector.core.errors import UnknownName
from inspector.core.index.session import Session
from inspector.core.judging.findings import match_severity
from inspector.core.repair.choices import Choices
from inspector.core.repair.draft import Draft
from inspector.core.repair.offers import ADOPT_STRATEGY, find_offer
from inspector.core.rules import RULES
from inspector.core.scene import Match, ThreadContext
from inspector.core.scene.finding import Severity


class StrategyResolver:
    """`chosen` are the strategies that were taken, by finding id; `unfit` those that were named, and could not be."""

    def __init__(self, choices: Choices, draft: Draft) -> None:
        self._choices, self._draft = choices, draft
        # An open call that is left is left, also where it is of another class once its siblings are answered.
        self._left = {
            _call_key(name)
            for name, strategy in choices.findings.items()
            if strategy == "leave" and _is_open_call_finding(name)
        }
        self.chosen: dict[str, str] = {}
        self.inapplicable: dict[str, str] = {}
        self._classes: dict[tuple[str, int, str], tuple[str, str]] = {}

    def resolve(self, identity: str, hit: Match, scene: ThreadContext) -> str:
        """The strategy for a finding. Raises UnknownName where a result of another log was named, and none is there."""
        named, taken = self._choose(identity, hit, scene)
        self.chosen[identity] = taken
        self.inapplicable.pop(identity, None)
        if named not in ("", taken):
            self.inapplicable[identity] = named
        return taken

    def choice_for_finding(self, identity: str) -> str | None:
        """What was chosen for a finding by itself, "" for nothing; None where a plan from elsewhere leaves it out."""
        only = self._choices.only
        if only is None:
            return self._choices.findings.get(identity, "")
        rule = RULES[identity.partition(":")[0]]
        chosen = only.choice_for(identity, rule.adopts)
        return chosen if not chosen or chosen in rule.strategies else None

    def _choose(self, identity: str, hit: Match, scene: ThreadContext) -> tuple[str, str]:
        """The strategy that the person named ("" for none), and the one that is taken."""
        rule, own = RULES[hit.rule], self.choice_for_finding(identity)
        if own is None:
            return "", "leave"
        offered = rule.adopts and find_offer(self._draft.offers, scene, hit.tool) is not None
        of_class, preset = self._of_class(hit.rule, scene.session)
        named = own or of_class
        if self._left and rule.adopts and _call_key(identity) in self._left:
            named = self._choices.findings.get(identity, "leave")
        if named == ADOPT_STRATEGY and not offered and identity in self._choices.findings:
            raise UnknownName(f"No other log was given that holds a result for {identity}: there is none to adopt.")
        if named and named != ADOPT_STRATEGY:
            return named, _fitting(named, hit)
        return named, ADOPT_STRATEGY if offered and (named or rule.strategy != "leave") else self._unasked(
            hit, scene, preset
        )

    def _of_class(self, rule: str, session: Session) -> tuple[str, str]:
        """What was named for a class in a session, and what the preset does about it; "" for nothing."""
        key = rule, session.number, session.id
        if key not in self._classes:
            choices = self._choices
            self._classes[key] = choices.strategy_of(rule, session), choices.preset_of(session).strategy_of(rule)
        return self._classes[key]

    def _unasked(self, hit: Match, scene: ThreadContext, preset: str) -> str:
        """What is done about a finding for which nothing was named that can be done."""
        if match_severity(hit, scene) != Severity.ERROR:
            return "leave"
        return _fitting(preset, hit) if preset else hit.default or RULES[hit.rule].strategy


def _call_key(identity: str) -> str:
    """A finding's id without its class: session, call and ordinal."""
    return identity.partition(":")[2]


def _is_open_call_finding(identity: str) -> bool:
    """Whether a finding is of a class of open calls."""
    rule = RULES.get(identity.partition(":")[0])
    return rule is not None and rule.adopts


def _fitting(strategy: str, hit: Match) -> str:
    """A strategy, or the case's own default where it cannot be carried out."""
    if hit.strategies and strategy not in hit.strategies:
        return hit.default or RULES[hit.rule].strategy
    return hit.default if strategy == "move" and hit.peer < 0 and hit.default else strategy
