"""Every class of anomaly: RULES is the table, a module a class; its docstring is its help page."""

from importlib import import_module
from typing import cast

from inspector.core.rules.rule import Rule


def _rule(name: str) -> Rule:
    # That a module is a Rule is asked by the tests: here it would cost every start as much as reading the modules.
    return cast(Rule, import_module(f"{__name__}.{name}"))


# The modules, in the order in which the findings of one place are told.
_MODULES = """
    split_call result_after_compaction cut_exchange
    interrupted_call unanswered_call partly_answered_turn unanswered_run broken_off_call pending_call unlisted_call
    unexplained_error denied_but_ran
    torn_end fused_records nul_bytes split_record invalid_utf8 unreadable_record lone_surrogate
    missing_parent parent_cycle repeated_record_id stranded_result left_behind several_sessions dangling_stitch
    reused_id repeated_id missing_id illegal_id second_id bad_input illegal_name misshapen_call item_id
    tools_not_defined
    fragments consecutive_assistants consecutive_users user_after_result text_after_call first_turn_not_user
    ends_with_assistant blank_text empty_message thinking_only empty_calls misshapen_message
    orphan_result split_results wrong_role foreign_result early_result displaced_result late_result repeated_result
    stale_placeholder conflicting_result mismatched_result result_after_text placeholder_result
    unsigned_reasoning changed_reasoning reasoning_behind_change repeated_reasoning reasoning_without_follower
    item_before_reasoning unsigned_call
    unanswered_server_call orphan_server_result
    refused_media
"""

RULES: dict[str, Rule] = {rule.CODE: rule for rule in map(_rule, _MODULES.split())}
