"""The choice of a strategy for a finding: what the person named, where it fits, else the preset's or the rule's.

Choices are validated first. Those that did nothing, or something else, are reported.
"""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from inspector.core.analysis.finding import RECOVER_STRATEGY, Severity
from inspector.core.analysis.thread_context import RuleMatch, ThreadContext
from inspector.core.check.findings import recover_if_certain, severity_of_match
from inspector.core.errors import UnknownName
from inspector.core.formats.base.lost_results import LostResult
from inspector.core.model.session import Session
from inspector.core.providers.registry import profile_named
from inspector.core.repair.choices import ADOPT_STRATEGY, Choices, find_result_offer
from inspector.core.repair.draft import Draft
from inspector.core.repair.presets import preset_named
from inspector.core.repair.strategies import STRATEGIES
from inspector.core.rules import RULES
from inspector.core.translation import tr, tr_plural


class StrategyResolver:
    """Decides which strategy is taken for each finding.

    `chosen` are the strategies that were taken, by finding id. `inapplicable` are those that were named and did not
    fit. `unused_results` are results outside of the conversation that were not taken although their call is repaired,
    by the number of the session and the id of the call.
    """

    def __init__(self, choices: Choices, draft: Draft) -> None:
        self._choices, self._draft = choices, draft
        # An open call that is left stays left, even if it belongs to another rule once its siblings are answered.
        self._left = {
            _call_key(name)
            for name, strategy in choices.findings.items()
            if strategy == "leave" and _is_open_call_finding(name)
        }
        self.chosen: dict[str, str] = {}
        self.inapplicable: dict[str, str] = {}
        self.unused_results: dict[tuple[int, str], LostResult] = {}
        self._classes: dict[tuple[str, int, str], tuple[str, str]] = {}

    def resolve(self, identity: str, hit: RuleMatch, context: ThreadContext) -> str:
        """Return the strategy for a finding.

        Raises UnknownName where the result of another log was named and no log holds one.
        """
        named, taken = self._choose(identity, hit, context)
        self.chosen[identity] = taken
        self.inapplicable.pop(identity, None)
        if named not in ("", taken):
            self.inapplicable[identity] = named
        if taken not in ("leave", RECOVER_STRATEGY, ADOPT_STRATEGY):
            lost = self._lost_result(hit, context)
            if lost is not None:
                self.unused_results[context.session.number, lost.call_id] = lost
        return taken

    def choice_for_finding(self, identity: str) -> str | None:
        """Return what was chosen for a single finding, "" for nothing.

        None where a portable plan does not name the finding.
        """
        only = self._choices.only
        if only is None:
            return self._choices.findings.get(identity, "")
        rule = RULES[identity.partition(":")[0]]
        chosen = only.choice_for(identity, rule.adopts)
        return chosen if not chosen or chosen in _allowed(rule.code) else None

    def _choose(self, identity: str, hit: RuleMatch, context: ThreadContext) -> tuple[str, str]:
        """Return the strategy that the person named ("" for none), and the one that is taken."""
        rule, own_choice = RULES[hit.rule], self.choice_for_finding(identity)
        if own_choice is None:
            return "", "leave"
        offered = rule.adopts and find_result_offer(self._draft.offers, context, hit.tool) is not None
        of_class, preset = self._of_class(hit.rule, context.session)
        named = own_choice or of_class
        if self._left and rule.adopts and _call_key(identity) in self._left:
            named = self._choices.findings.get(identity, "leave")
        if named == ADOPT_STRATEGY and not offered and identity in self._choices.findings:
            raise UnknownName(
                tr(
                    "No result can be copied for {identity}, because no other log with the result was provided.",
                    identity=identity,
                )
            )
        if named == RECOVER_STRATEGY:
            return named, self._recovering(identity, hit, context, preset)
        if named and named != ADOPT_STRATEGY:
            return named, _fitting(named, hit)
        return named, ADOPT_STRATEGY if offered and (named or rule.strategy != "leave") else self._unasked(
            hit, context, preset
        )

    def _recovering(self, identity: str, hit: RuleMatch, context: ThreadContext, preset: str) -> str:
        """Return `recover` where the log holds the result of a call elsewhere, else what is done unasked."""
        if self._lost_result(hit, context) is not None:
            return RECOVER_STRATEGY
        if identity in self._choices.findings:
            raise UnknownName(
                tr(
                    "No result can be recovered for {identity}, because none was found outside the conversation.",
                    identity=identity,
                )
            )
        return self._unasked(hit, context, preset)

    def _lost_result(self, hit: RuleMatch, context: ThreadContext) -> LostResult | None:
        if not RULES[hit.rule].adopts:
            return None
        return self._draft.lost_result(*context.tool_location(hit.tool))

    def _of_class(self, rule: str, session: Session) -> tuple[str, str]:
        """Return what was named for a rule in a session, and what the preset does about it, "" for nothing."""
        key = rule, session.number, session.id
        if key not in self._classes:
            choices = self._choices
            self._classes[key] = choices.strategy_of(rule, session), choices.preset_of(session).strategy_of(rule)
        return self._classes[key]

    def _unasked(self, hit: RuleMatch, context: ThreadContext, preset: str) -> str:
        """Return the strategy for a finding for which nothing was named."""
        if severity_of_match(hit, context) != Severity.ERROR:
            return "leave"
        strategy = _fitting(preset, hit) if preset else hit.default or RULES[hit.rule].strategy
        return recover_if_certain(strategy, self._lost_result(hit, context))


def _call_key(identity: str) -> str:
    """Return a finding's id without its rule: session, call and ordinal."""
    return identity.partition(":")[2]


def _is_open_call_finding(identity: str) -> bool:
    """Return whether a finding belongs to a rule about open calls."""
    rule = RULES.get(identity.partition(":")[0])
    return rule is not None and rule.adopts


def _fitting(strategy: str, hit: RuleMatch) -> str:
    """Return a strategy, or the default of the case where it cannot be carried out."""
    if hit.strategies and strategy not in hit.strategies:
        return hit.default or RULES[hit.rule].strategy
    return hit.default if strategy == "move" and hit.peer < 0 and hit.default else strategy


def validate_choices(choices: Choices) -> None:
    """Raise UnknownName when a preset, rule, strategy or profile does not exist or does not fit."""
    preset_named(choices.preset)
    if choices.profile:
        profile_named(choices.profile)
    if choices.wording and not choices.wording.strip():
        raise UnknownName(tr("The placeholder text is blank. Some providers reject blank text."))
    try:
        choices.wording.encode()
    except UnicodeEncodeError as error:
        raise UnknownName(
            tr(
                "The placeholder text contains invalid characters (bytes that are not UTF-8, or half of a "
                "surrogate pair)."
            )
        ) from error
    _check_rules(choices.rules)
    for session in choices.sessions.values():
        if session.preset:
            preset_named(session.preset)
        _check_rules(session.rules)
    for finding, strategy in choices.findings.items():
        if strategy not in STRATEGIES:
            raise UnknownName(
                tr("There is no strategy named {strategy} (chosen for {finding}).", strategy=strategy, finding=finding)
            )
        rule = finding.partition(":")[0]
        if rule in RULES:
            _require_allowed(finding, rule, strategy)


def _check_rules(rules: dict[str, str]) -> None:
    for rule, strategy in rules.items():
        if rule not in RULES:
            raise UnknownName(tr("No rule has the code {rule}. The `rules` command lists the rules.", rule=rule))
        _require_allowed(rule, rule, strategy)


def _require_allowed(what: str, rule: str, strategy: str) -> None:
    """Raise UnknownName where a rule, or a finding of it, cannot be repaired by a strategy."""
    if strategy not in (allowed := _allowed(rule)):
        raise UnknownName(
            tr(
                "{what} cannot be repaired with the {strategy} strategy. Possible strategies: {allowed}.",
                what=what,
                strategy=strategy,
                allowed=", ".join(allowed),
            )
        )


def _allowed(rule: str) -> tuple[str, ...]:
    """Return what can be chosen for a rule: for open calls also a result from elsewhere."""
    strategies = RULES[rule].strategies
    return (*strategies, ADOPT_STRATEGY, RECOVER_STRATEGY) if RULES[rule].adopts else strategies


class UnusedChoice(Struct, frozen=True):
    """A named strategy ("D2=drop-call") that did nothing or did not fit, and a sentence about it.

    `session` is "" where it was named for all sessions.
    """

    strategy: str
    session: str
    sentence: str


def unused_choices(choices: Choices, taken: StrategyResolver, sessions: list[Session]) -> Iterator[UnusedChoice]:
    """Yield the choices that matched no finding, and those that did not fit the findings that they matched."""
    matched = {tuple(identity.split(":", 2)[:2]) for identity in taken.chosen}
    rules = {rule for rule, _ in matched}
    for rule, strategy in choices.rules.items():
        if rule not in rules:
            yield UnusedChoice(f"{rule}={strategy}", "", _no_finding_sentence(rule, strategy, tr("in this log")))
    for identity, strategy in choices.findings.items():
        if identity not in taken.chosen:
            yield UnusedChoice(f"{identity}={strategy}", "", _finding_gone_sentence(identity, strategy))
    number_of = {name: str(each.number) for each in sessions for name in (str(each.number), each.id)}
    for session, choice in choices.sessions.items():
        for rule, strategy in choice.rules.items():
            if (rule, number_of.get(session, session)) not in matched:
                yield UnusedChoice(
                    f"{rule}={strategy}",
                    session,
                    _no_finding_sentence(rule, strategy, tr("in session {session}", session=session)),
                )
    inapplicable = (
        (identity.partition(":")[0], named, taken.chosen[identity]) for identity, named in taken.inapplicable.items()
    )
    for (rule, named, instead), count in Counter(inapplicable).items():
        outcome = tr("no repair is made") if instead == "leave" else tr("{instead} is used instead", instead=instead)
        yield UnusedChoice(
            f"{rule}={named}",
            "",
            tr(
                "{rule}={named} cannot be applied to {findings} of {rule}: {outcome}.",
                rule=rule,
                named=named,
                findings=tr_plural("{number:,} finding", "{number:,} findings", count),
                outcome=outcome,
            ),
        )


def _finding_gone_sentence(identity: str, strategy: str) -> str:
    rule = identity.partition(":")[0]
    slug = RULES[rule].slug if rule in RULES else ""
    return tr(
        "{strategy} has no effect, because this log has no {rule} ({slug}) findings.",
        strategy=strategy,
        rule=rule,
        slug=slug,
    )


def _no_finding_sentence(rule: str, strategy: str, where: str) -> str:
    return tr(
        "The choice {rule}={strategy} has no effect, because there are no {rule} ({slug}) findings {where}.",
        rule=rule,
        strategy=strategy,
        slug=RULES[rule].slug,
        where=where,
    )
