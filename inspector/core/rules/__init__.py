"""The rules, one for each class of anomaly. RULES is the table; the docstring of a rule is its help page."""

from functools import lru_cache

from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.rules import (
    chat_templates,
    compactions,
    damage,
    graph,
    ids_and_inputs,
    media,
    message_contents,
    message_order,
    reasoning,
    recorded_errors,
    results,
    server_tools,
    unanswered_calls,
)
from inspector.core.rules.preconditions import PRECONDITIONS
from inspector.core.rules.rule import Rule

_FAMILIES = (
    compactions,
    unanswered_calls,
    recorded_errors,
    damage,
    graph,
    ids_and_inputs,
    message_order,
    message_contents,
    chat_templates,
    results,
    reasoning,
    server_tools,
    media,
)
# The order is that in which findings at one place are listed: module by module, and in each from top to bottom.
RULES = {each.code: each for family in _FAMILIES for each in vars(family).values() if isinstance(each, Rule)}
# The rules about bytes that are no characters. Only a deep check finds all of these.
INVALID_CHARACTER_RULES = ("F5", "F7")


def rules_that_may_match(context: ThreadContext) -> list[Rule]:
    """Return the rules that may find something in a thread: those with a precondition that is met."""
    met = frozenset(name for name, is_met in PRECONDITIONS.items() if is_met(context))
    return [RULES[code] for code in _codes_with_preconditions(met.union(context.profile.refusals))]


@lru_cache(maxsize=1024)
def _codes_with_preconditions(met: frozenset[str]) -> list[str]:
    """Return the codes of the rules with a precondition that is met. Many threads are alike, so they are cached."""
    return [code for code, rule in RULES.items() if not met.isdisjoint(rule.preconditions)]
