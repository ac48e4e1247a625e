"""The preconditions of rules: cheap tests of a thread, so that a rule runs only where one of them holds."""

from collections.abc import Callable

from inspector.core.analysis.thread import ThreadContext
from inspector.core.model.columns import BlockFlag, RecordMark, Role
from inspector.core.model.views import BlockKind

_TEXT_AFTER_CALL = bytes((BlockKind.CALL, BlockKind.TEXT))
_FAILED = BlockFlag.ERROR | BlockFlag.PLACEHOLDER | BlockFlag.OUR_PLACEHOLDER

PRECONDITIONS: dict[str, Callable[[ThreadContext], object]] = {
    # Calls and results
    "calls": lambda scene: scene.pairing.block_rows,
    "open": lambda scene: scene.pairing.unanswered,
    "stray": lambda scene: scene.pairing.unexpected_results or scene.thread.ignored_results,
    "reused": lambda scene: scene.pairing.reused_ids,
    "repeated": lambda scene: scene.pairing.repeated_ids,
    "nameless": lambda scene: scene.pairing.calls_without_id,
    "bad-input": lambda scene: scene.pairing.calls_with_bad_input,
    "misplaced": lambda scene: scene.pairing.in_wrong_role,
    "failed": lambda scene: scene.columns.has_flag(_FAILED),
    "placeholder": lambda scene: scene.columns.has_flag(BlockFlag.PLACEHOLDER),
    "together": lambda scene: (
        scene.format.inline_results or (scene.format.is_provider_api and scene.format.results_share_record)
    ),
    "apart": lambda scene: scene.profile.requires_results_alone,
    "no-tools": lambda scene: scene.session.defines_no_tools,
    # Messages and their content
    "blank": lambda scene: scene.pairing.blank_blocks,
    "not-the-user-first": lambda scene: scene.pairing.first_role != Role.USER or scene.is_sent_unchanged,
    "no-prefill": lambda scene: not scene.profile.allows_prefill,
    "text-after-call": lambda scene: _TEXT_AFTER_CALL in scene.columns.block_kinds,
    "as-it-stands": lambda scene: scene.is_sent_unchanged,
    "misshapen": lambda scene: scene.columns.has_mark(RecordMark.MAYBE_MALFORMED),
    "empty-calls": lambda scene: scene.columns.has_mark(RecordMark.EMPTY_CALLS),
    "misnamed": lambda scene: scene.columns.has_mark(RecordMark.WRONG_ID_PREFIX),
    "api": lambda scene: scene.format.is_provider_api,
    "reasoning": lambda scene: BlockKind.THINKING in scene.columns.block_kinds,
    "items": lambda scene: scene.sends_item_ids,
    "changed": lambda scene: scene.thread.first_change is not None,
    "server": lambda scene: {BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT} & {*scene.columns.block_kinds},
    "media": lambda scene: BlockKind.MEDIA in scene.columns.block_kinds or scene.columns.has_flag(BlockFlag.MEDIA),
    # Records
    "bad": lambda scene: scene.columns.has_mark(RecordMark.UNREADABLE),
    "error": lambda scene: scene.columns.has_mark(RecordMark.API_ERROR),
    "broken-link": lambda scene: scene.thread.damaged_links,
    "recovered": lambda scene: scene.thread.recovered_records,
    "aside": lambda scene: len(scene.thread.path) < len(scene.columns) - scene.columns.roles.count(Role.OPAQUE),
    "compacted": lambda scene: scene.columns.has_mark(RecordMark.COMPACTION),
    "cut": lambda scene: scene.thread.cut_exchanges,
    "uncounted": lambda scene: scene.session.ordinal_breaks,
    "duplicates": lambda scene: scene.session.duplicate_records,
    "several": lambda scene: scene.session.other_session_ids,
}
