"""What is expected of each history: CASES is the table.

`results` real results stand as results afterwards, beside `stand_ins` placeholders, and `notes` texts quote results
that answer no call, or a call that has another. `profile` and `strategies` are asked for. A healthy history comes back
as the same bytes, unless a strategy was asked for.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    verdict: str
    results: int = 0
    stand_ins: int = 0
    notes: int = 0
    profile: str = ""
    strategies: str = ""


CASES = {
    "d01_chat_call_without_type": Expected("broken", 1),
    "d02_chat_call_without_function": Expected("broken", 1),
    "d03_anthropic_text_after_call": Expected("healthy", 2, strategies="M11=reorder"),
    "d04_responses_message_ids": Expected("broken", 1),
    "d05_codex_rollout_message_uuid": Expected("broken"),
    "d06_responses_hook_between": Expected("healthy", 1),
    "d07_bedrock_empty_message": Expected("broken", 1),
    "d08_note_behind_call": Expected("broken", 1, notes=1),
    "d09_mistral_begins_with_call": Expected("broken", 1, profile="mistral"),
    "d10_thinking_call_text": Expected("healthy", 1, strategies="M11=reorder"),
    "n_inflight": Expected("healthy", 1),
    "n_later_response": Expected("healthy"),
    "n_mcp_never": Expected("broken", 1),
    "n_never_arrived": Expected("broken", 1),
    "n_only_call": Expected("broken"),
    "n_paired": Expected("healthy", 1),
    "p01_empty_then_real_result": Expected("broken", 1),
    "p03_two_calls_two_wrong_ids": Expected("broken", stand_ins=2, notes=2),
    "p04_terminal_fallback_duplicate": Expected("broken", 1, notes=1),
    "p06_more_results_than_calls": Expected("broken", stand_ins=1, notes=2),
    "p07_split_results_valid": Expected("healthy", 3),
    "p09_reminder_inside": Expected("broken", 2),
    "p10_distant_result": Expected("broken", 2),
    "p12_id_reused_valid": Expected("healthy", 2),
    "p13_dup_call_in_turn": Expected("broken", 1),
    "p15_constant_id_50": Expected("healthy", 50),
    "p16_replayed_call": Expected("broken", 1, 1),
    "p18_response_item_id": Expected("broken", 1),
    "p19_eight_variants": Expected("healthy", 8),
    "p21_sibling_replay": Expected("broken", 1, notes=1),
    "p22_blank_round_id": Expected("broken", 1),
    "p24_combined": Expected("broken", 0, 1, 1, profile="anthropic"),
    "p25_native_partial": Expected("broken", 1, 1),
    "p27_backwards_responses": Expected("broken", 1),
    "p28_duplicate_pair_anthropic": Expected("broken", 2),
    "p30_goose_consecutive": Expected("broken", 1, 1),
    "p31_goose_collapse": Expected("broken", stand_ins=2),
    "p33_codex_kind_mismatch": Expected("broken", stand_ins=1, notes=1),
    "p34_local_shell": Expected("heals-itself", stand_ins=1),  # Codex answers it in memory
    "p36_pyd_result_before_call": Expected("broken", 1),
    "p37_pyd_cut_args": Expected("broken", stand_ins=2),
    "p39_gemini_orphans": Expected("broken", notes=3),
    "p40_gemini_order": Expected("broken", 2),
    "p42_strands_partial": Expected("broken", 1, 1),
    "p43_strands_leading_orphan": Expected("broken", notes=1),
    "p45_agents_tool_search": Expected("healthy"),
    "p46_reasoning_twice": Expected("broken", stand_ins=1),
}
