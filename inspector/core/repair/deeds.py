"""What is done to a draft, one thing a function: DEEDS is the table.

Its keys are what the rules name in their rows: a strategy, and behind it what it is done to, where that takes work of
its own. A function takes a Task and edits its draft.
"""

from collections.abc import Callable

from inspector.core.repair import bound, cut_off, graph, history, strategies
from inspector.core.repair.adoption import adopt_result
from inspector.core.repair.invented import invent_call
from inspector.core.repair.task import Task
from inspector.core.repair.undo import undo_placeholder

ACTIONS: dict[str, Callable[[Task], None]] = {
    "answer": strategies.insert_placeholder_result,
    "answer cut-off": cut_off.answer_cut,
    "adopt": adopt_result,
    "move": strategies.move_result,
    "move block": strategies.move_result_block,
    "move before-text": strategies.move_result_before_text,
    "move behind-user": history.move_system_after_user,
    "move cut-off": cut_off.move_cut,
    "merge": strategies.merge_results,
    "merge messages": history.merge_messages,
    "invent-call": invent_call,
    "undo-placeholder": undo_placeholder,
    "drop-call": strategies.drop_call,
    "drop-call server": bound.drop_server_block,
    "drop-exchange": strategies.drop_exchange,
    "drop-message": strategies.drop_message,
    "drop": strategies.drop_call_or_result,
    "drop again": strategies.drop_repeated_call,
    "drop needless": strategies.drop_redundant_result,
    "drop reasoning": history.drop_last_reasoning,
    "drop server": bound.drop_server_block,
    "keep-as-note": strategies.keep_result_as_note,
    "keep-as-note second": strategies.keep_duplicate_as_note,
    "keep-as-note aside": strategies.keep_note_after_results,
    "keep-first": strategies.drop_call_or_result,
    "keep-first needless": strategies.drop_redundant_result,
    "keep-first reasoning": bound.keep_first_reasoning,
    "keep-last": strategies.keep_last_result,
    "keep-last needless": strategies.keep_last_result,
    "keep-last reasoning": bound.keep_newest_reasoning,
    "rename": strategies.rename_call_id,
    "rename legal": strategies.rename_to_legal_id,
    "rename other-id": strategies.match_other_id,
    "match": strategies.assign_open_call_id,
    "reid": graph.assign_new_record_id,
    "reid ordinal": graph.renumber_lines,
    "relink": graph.relink,
    "relink circle": graph.relink_cycle,
    "relink turn": graph.relink_turn,
    "relink compaction": graph.relink_compaction,
    "relink result": graph.join_active_path,
    "cut-tail": history.cut_tail,
    "normalise binding": bound.remove_binding_id,
    "normalise call": history.normalise_call,
    "normalise calls": history.drop_empty_calls,
    "normalise characters": history.normalise_characters,
    "normalise empty": history.drop_empty_message,
    "normalise input": history.normalise_input,
    "normalise item": history.remove_item_id,
    "normalise listing": history.add_to_call_list,
    "normalise message": history.normalise_message,
    "normalise name": history.normalise_name,
    "normalise signature": bound.add_placeholder_signature,
    "normalise text": history.drop_blank_text,
    "strip-reasoning": bound.strip_reasoning,
    "strip-reasoning message": bound.strip_message_reasoning,
    "strip-reasoning turn": bound.strip_turn_reasoning,
    "replace-media": bound.replace_media,
    "prepend-user": history.prepend_user_message,
    "reorder": history.move_texts_before_calls,
    "bridge": history.insert_bridge_message,
    "quarantine": history.quarantine_record,
    "quarantine message": history.quarantine_message,
    "salvage": history.salvage_record,
}
