"""The preconditions of rules: cheap tests of a thread, so that a rule runs only where one of them holds."""

from collections.abc import Callable

from inspector.core.analysis.item_ids import sends_item_ids
from inspector.core.analysis.thread_context import ThreadContext
from inspector.core.model.columnar_index import BlockFlag, RecordMark, Role
from inspector.core.model.views import BlockKind

_FAILED = BlockFlag.ERROR | BlockFlag.PLACEHOLDER | BlockFlag.OUR_PLACEHOLDER

PRECONDITIONS: dict[str, Callable[[ThreadContext], object]] = {
    # Calls and results
    "calls": lambda context: context.pairing.block_rows,
    "open": lambda context: context.pairing.unanswered,
    "stray": lambda context: context.pairing.unexpected_results or context.thread.ignored_results,
    "reused": lambda context: context.pairing.reused_ids,
    "repeated": lambda context: context.pairing.repeated_ids,
    "nameless": lambda context: context.pairing.calls_without_id,
    "bad-input": lambda context: context.pairing.calls_with_bad_input,
    "misplaced": lambda context: context.pairing.in_wrong_role,
    "failed": lambda context: context.columns.has_flag(_FAILED),
    "placeholder": lambda context: context.columns.has_flag(BlockFlag.PLACEHOLDER),
    "together": lambda context: context.format.inline_results or context.format.needs_results_together,
    "apart": lambda context: context.profile.requires_results_alone,
    "no-tools": lambda context: context.session.defines_no_tools,
    # Messages and their content
    "blank": lambda context: context.pairing.blank_blocks,
    "not-the-user-first": lambda context: context.pairing.first_role != Role.USER or context.is_sent_unchanged,
    "no-prefill": lambda context: not context.profile.allows_prefill,
    "text-after-call": lambda context: context.columns.has_kind_sequence(BlockKind.CALL, BlockKind.TEXT),
    "as-it-stands": lambda context: context.is_sent_unchanged,
    "users-as-they-stand": lambda context: context.sends_users_as_they_stand,
    "answers-as-they-stand": lambda context: context.sends_answers_as_they_stand,
    "misshapen": lambda context: context.columns.has_mark(RecordMark.MAYBE_MALFORMED),
    "empty-calls": lambda context: context.columns.has_mark(RecordMark.EMPTY_CALLS),
    "misnamed": lambda context: context.columns.has_mark(RecordMark.WRONG_ID_PREFIX),
    "api": lambda context: context.format.is_provider_api,
    "reasoning": lambda context: context.columns.has_kind_sequence(BlockKind.THINKING),
    "items": lambda context: context.sends_item_ids,
    "item-ids": sends_item_ids,
    "changed": lambda context: context.thread.first_change is not None,
    "server": lambda context: (
        context.columns.has_kind_sequence(BlockKind.SERVER_CALL)
        or context.columns.has_kind_sequence(BlockKind.SERVER_RESULT)
    ),
    "media": lambda context: (
        context.columns.has_kind_sequence(BlockKind.MEDIA) or context.columns.has_flag(BlockFlag.MEDIA)
    ),
    # Records
    "bad": lambda context: context.columns.has_mark(RecordMark.UNREADABLE),
    "error": lambda context: context.columns.has_mark(RecordMark.API_ERROR) or context.session.pasted_error,
    "no-references": lambda context: "X3 unsupported" in context.profile.refusals,
    "broken-link": lambda context: context.thread.damaged_links,
    "recovered": lambda context: context.thread.recovered_records,
    "aside": lambda context: len(context.thread.path) < len(context.columns) - context.columns.opaque_count,
    "compacted": lambda context: context.columns.has_mark(RecordMark.COMPACTION),
    "cut": lambda context: context.thread.cut_exchanges,
    "uncounted": lambda context: context.session.ordinal_breaks,
    "duplicates": lambda context: context.session.duplicate_records,
    "several": lambda context: context.session.other_session_ids,
}
