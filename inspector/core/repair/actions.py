"""What is done to a draft, one thing a function: DEEDS is the table.

Its keys are what the rules name in their rows: a strategy, and behind it what it is done to, where that takes work of
its own. A function takes a Task and edits its draft.
"""

from collections.abc import Callable

from inspector.core.repair import message_strategies, strategies, tree_strategies
from inspector.core.repair import strategies as cut_off
from inspector.core.repair.adoption import adopt_result
from inspector.core.repair.strategies import invent_call, undo_placeholder
from inspector.core.repair.task import Task

ACTIONS: dict[str, Callable[[Task], None]] = {
    "answer": strategies.insert_placeholder_result,
    "answer cut-off": cut_off.answer_cut,
    "adopt": adopt_result,
    "move": strategies.move_result,
    "move block": strategies.move_result_block,
    "move before-text": strategies.move_result_before_text,
    "move behind-user": message_strategies.move_system_after_user,
    "move cut-off": cut_off.move_cut,
    "merge": strategies.merge_results,
    "merge messages": message_strategies.merge_messages,
    "invent-call": invent_call,
    "undo-placeholder": undo_placeholder,
    "drop-call": strategies.drop_call,
    "drop-call server": message_strategies.drop_server_block,
    "drop-exchange": strategies.drop_exchange,
    "drop-message": strategies.drop_message,
    "drop": strategies.drop_call_or_result,
    "drop again": strategies.drop_repeated_call,
    "drop needless": strategies.drop_redundant_result,
    "drop reasoning": message_strategies.drop_last_reasoning,
    "drop server": message_strategies.drop_server_block,
    "keep-as-note": strategies.keep_result_as_note,
    "keep-as-note second": strategies.keep_duplicate_as_note,
    "keep-as-note aside": strategies.keep_note_after_results,
    "keep-first": strategies.drop_call_or_result,
    "keep-first needless": strategies.drop_redundant_result,
    "keep-first reasoning": message_strategies.keep_first_reasoning,
    "keep-last": strategies.keep_last_result,
    "keep-last needless": strategies.keep_last_result,
    "keep-last reasoning": message_strategies.keep_newest_reasoning,
    "rename": strategies.rename_call_id,
    "rename legal": strategies.rename_to_legal_id,
    "rename other-id": strategies.match_other_id,
    "match": strategies.assign_open_call_id,
    "reid": tree_strategies.assign_new_record_id,
    "reid ordinal": tree_strategies.renumber_lines,
    "relink": tree_strategies.relink,
    "relink circle": tree_strategies.relink_cycle,
    "relink turn": tree_strategies.relink_turn,
    "relink compaction": tree_strategies.relink_compaction,
    "relink result": tree_strategies.join_active_path,
    "cut-tail": message_strategies.cut_tail,
    "normalise binding": message_strategies.remove_binding_id,
    "normalise call": message_strategies.normalise_call,
    "normalise calls": message_strategies.drop_empty_calls,
    "normalise characters": message_strategies.normalise_characters,
    "normalise empty": message_strategies.drop_empty_message,
    "normalise input": message_strategies.normalise_input,
    "normalise item": message_strategies.remove_item_id,
    "normalise listing": message_strategies.add_to_call_list,
    "normalise message": message_strategies.normalise_message,
    "normalise name": message_strategies.normalise_name,
    "normalise signature": message_strategies.add_placeholder_signature,
    "normalise text": message_strategies.drop_blank_text,
    "strip-reasoning": message_strategies.strip_reasoning,
    "strip-reasoning message": message_strategies.strip_message_reasoning,
    "strip-reasoning turn": message_strategies.strip_turn_reasoning,
    "replace-media": message_strategies.replace_media,
    "prepend-user": message_strategies.prepend_user_message,
    "reorder": message_strategies.move_texts_before_calls,
    "bridge": message_strategies.insert_bridge_message,
    "quarantine": message_strategies.quarantine_record,
    "quarantine message": message_strategies.quarantine_message,
    "salvage": message_strategies.salvage_record,
}
