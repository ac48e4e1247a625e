"""Every class of anomaly: RULES is the table, a module a family of rules; the docstring of a rule is its help page."""

from inspector.core.analysis.preconditions import PRECONDITIONS
from inspector.core.analysis.thread import ThreadContext
from inspector.core.rules import (
    calls,
    compactions,
    damage,
    errors,
    fields,
    graph,
    media,
    message_contents,
    message_order,
    reasoning,
    results,
    server_tools,
)
from inspector.core.rules.rule import Rule

_FAMILIES = (
    compactions,
    calls,
    errors,
    damage,
    graph,
    fields,
    message_order,
    message_contents,
    results,
    reasoning,
    server_tools,
    media,
)
# In the order in which the findings of one place are listed: family by family, and in each as its module has them.
RULES = {each.code: each for family in _FAMILIES for each in vars(family).values() if isinstance(each, Rule)}
# The rules about bytes that are no characters: of these only a deep check sees all.
UNDECODED = ("F5", "F7")


def that_may_find(scene: ThreadContext) -> list[Rule]:
    """List the rules that may find something in a scene: those of which it meets a precondition."""
    met = {name for name, is_met in PRECONDITIONS.items() if is_met(scene)} | scene.profile.refusals.keys()
    return [rule for rule in RULES.values() if not met.isdisjoint(rule.preconditions)]
