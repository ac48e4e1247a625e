"""What is done to a draft, one thing a function: DEEDS is the table.

Its keys are what the rules name in their rows: a strategy, and behind it what it is done to, where that takes work of
its own. A function takes a Task and edits its draft.
"""

from collections.abc import Callable

from inspector.core.repair import bound, cut_off, graph, history, strategies
from inspector.core.repair.adoption import adopt
from inspector.core.repair.invented import invent_call
from inspector.core.repair.task import Task
from inspector.core.repair.undo import undo_placeholder

DEEDS: dict[str, Callable[[Task], None]] = {
    "answer": strategies.answer,
    "answer cut-off": cut_off.answer,
    "adopt": adopt,
    "move": strategies.move,
    "move block": strategies.move_block,
    "move before-text": strategies.move_before_text,
    "move behind-user": history.move_behind_user,
    "move cut-off": cut_off.move,
    "merge": strategies.merge,
    "merge messages": history.join,
    "invent-call": invent_call,
    "undo-placeholder": undo_placeholder,
    "drop-call": strategies.drop_call,
    "drop-call server": bound.drop_server_block,
    "drop-exchange": strategies.drop_exchange,
    "drop-message": strategies.drop_message,
    "drop": strategies.drop,
    "drop again": strategies.drop_repeated_call,
    "drop needless": strategies.drop_needless,
    "drop reasoning": history.drop_last_reasoning,
    "drop server": bound.drop_server_block,
    "keep-as-note": strategies.keep_as_note,
    "keep-as-note second": strategies.keep_second_as_note,
    "keep-as-note aside": strategies.keep_aside_as_note,
    "keep-first": strategies.drop,
    "keep-first needless": strategies.drop_needless,
    "keep-first reasoning": bound.keep_first_reasoning,
    "keep-last": strategies.keep_last,
    "keep-last needless": strategies.keep_last,
    "keep-last reasoning": bound.keep_newest_reasoning,
    "rename": strategies.rename,
    "rename legal": strategies.rename_legally,
    "rename other-id": strategies.rename_as_its_call,
    "match": strategies.match,
    "reid": graph.reid,
    "reid ordinal": graph.count_on,
    "relink": graph.relink,
    "relink circle": graph.relink_circle,
    "relink turn": graph.take_up,
    "relink compaction": graph.stitch,
    "relink result": graph.join_path,
    "cut-tail": history.cut_tail,
    "normalise binding": bound.unbind,
    "normalise call": history.shape_call,
    "normalise calls": history.drop_empty_calls,
    "normalise characters": history.mend_characters,
    "normalise empty": history.drop_empty_message,
    "normalise input": history.write_input,
    "normalise item": history.unname_item,
    "normalise listing": history.list_call,
    "normalise message": history.shape_message,
    "normalise name": history.write_name,
    "normalise signature": bound.sign,
    "normalise text": history.drop_blank_text,
    "strip-reasoning": bound.strip_reasoning,
    "strip-reasoning message": bound.strip_message,
    "strip-reasoning turn": bound.strip_turn,
    "replace-media": bound.replace_media,
    "prepend-user": history.prepend_user,
    "reorder": history.reorder,
    "bridge": history.bridge,
    "quarantine": history.quarantine,
    "quarantine message": history.quarantine_message,
    "salvage": history.salvage,
}
