"""The preconditions of rules: what is seen of a scene at a glance, so that a rule is asked only where one is met."""

from collections.abc import Callable

from inspector.core.index.columns import Flag, Mark, Role
from inspector.core.index.views import BlockKind
from inspector.core.scene.scene import Scene

_TEXT_AFTER_CALL = bytes((BlockKind.CALL, BlockKind.TEXT))
_FAILED = Flag.ERROR | Flag.PLACEHOLDER | Flag.OWN_WORDS

PRECONDITIONS: dict[str, Callable[[Scene], object]] = {
    # of calls and results
    "calls": lambda scene: scene.pairing.rows,
    "open": lambda scene: scene.pairing.unanswered,
    "stray": lambda scene: scene.pairing.odd_results or scene.thread.unheard,
    "reused": lambda scene: scene.pairing.reused,
    "repeated": lambda scene: scene.pairing.repeated,
    "nameless": lambda scene: scene.pairing.nameless,
    "bad-input": lambda scene: scene.pairing.bad_input,
    "misplaced": lambda scene: scene.pairing.misplaced,
    "failed": lambda scene: scene.columns.any_flagged(_FAILED),
    "placeholder": lambda scene: scene.columns.any_flagged(Flag.PLACEHOLDER),
    "together": lambda scene: scene.format.inline or (scene.format.api and scene.format.together),
    "apart": lambda scene: scene.profile.results_alone,
    "no-tools": lambda scene: scene.session.without_tools,
    # of what is said
    "blank": lambda scene: scene.pairing.blank,
    "not-the-user-first": lambda scene: scene.pairing.first_role != Role.USER or scene.is_sent_as_it_stands,
    "no-prefill": lambda scene: not scene.profile.prefill,
    "text-after-call": lambda scene: _TEXT_AFTER_CALL in scene.columns.block_kinds,
    "as-it-stands": lambda scene: scene.is_sent_as_it_stands,
    "misshapen": lambda scene: scene.columns.any_marked(Mark.ODD),
    "empty-calls": lambda scene: scene.columns.any_marked(Mark.EMPTY_CALLS),
    "misnamed": lambda scene: scene.columns.any_marked(Mark.MISNAMED),
    "api": lambda scene: scene.format.api,
    "reasoning": lambda scene: BlockKind.THINKING in scene.columns.block_kinds,
    "items": lambda scene: scene.sends_item_ids,
    "changed": lambda scene: scene.thread.changed is not None,
    "server": lambda scene: {BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT} & {*scene.columns.block_kinds},
    "media": lambda scene: BlockKind.MEDIA in scene.columns.block_kinds or scene.columns.any_flagged(Flag.MEDIA),
    # of records
    "bad": lambda scene: scene.columns.any_marked(Mark.BAD),
    "error": lambda scene: scene.columns.any_marked(Mark.API_ERROR),
    "broken-link": lambda scene: scene.thread.links,
    "recovered": lambda scene: scene.thread.recovered,
    "aside": lambda scene: len(scene.thread.path) < len(scene.columns) - scene.columns.roles.count(Role.OPAQUE),
    "compacted": lambda scene: scene.columns.any_marked(Mark.BOUNDARY),
    "cut": lambda scene: scene.thread.cut_off,
    "uncounted": lambda scene: scene.session.uncounted,
    "duplicates": lambda scene: scene.session.duplicates,
    "several": lambda scene: scene.session.other_ids,
}
