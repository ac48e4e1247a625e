"""Every class of anomaly: RULES is the table, a module a class; its docstring is its help page."""

from importlib import import_module
from typing import cast

from inspector.core.later import LaterTable
from inspector.core.rules.rule import Rule
from inspector.core.scene import Scene
from inspector.core.scene.signs import SIGNS

# The modules, in the order in which the findings of one place are told: the code of each, its name, and the signs of a
# scene (any of them) without which it finds nothing there. A code as a sign: the profile that is asked refuses that.
_MODULES = """
C1  split_call open
C2  result_after_compaction stray
C3  cut_exchange cut
D1  interrupted_call open
D2  unanswered_call open
D3  partly_answered_turn open
D4  unanswered_run open
D5  broken_off_call open
D6  pending_call open
D7  unlisted_call open
E1  unexplained_error error
E2  denied_but_ran failed
F1  torn_end bad
F2  fused_records bad
F3  nul_bytes bad
F4  split_record bad
F5  invalid_utf8 bad
F6  unreadable_record bad
F7  lone_surrogate bad
F8  byte_order_mark bad
G1  missing_parent broken-link
G2  parent_cycle broken-link
G4  repeated_record_id duplicates
G8  repeated_ordinal uncounted
G5  stranded_result open recovered
G3  left_behind aside
G6  several_sessions several
G7  dangling_stitch compacted
K1  reused_id reused
K2  repeated_id repeated
K3  missing_id nameless
K4  illegal_id calls
K5  second_id stray
K6  bad_input bad-input
K7  illegal_name calls
K9  misshapen_call api
K10 item_id misnamed
K11 unnamed_result calls
K8  tools_not_defined no-tools
M1  fragments
M2  consecutive_assistants as-it-stands
M3  consecutive_users as-it-stands
M10 user_after_result M10
M11 text_after_call text-after-call
M4  first_turn_not_user not-the-user-first
M5  ends_with_assistant no-prefill
M6  blank_text blank
M7  empty_message blank
M8  thinking_only reasoning
M9  empty_calls empty-calls
M12 misshapen_message misshapen
R1  orphan_result stray
R10 split_results together
R11 wrong_role misplaced
R12 foreign_result stray
R2  early_result stray
R3  displaced_result stray
R4  late_result stray
R5  repeated_result stray
R6  stale_placeholder stray
R7  conflicting_result stray
R8  mismatched_result stray
R9  result_after_text stray apart
R13 placeholder_result placeholder
T1  unsigned_reasoning reasoning
T2  changed_reasoning error stray
T3  reasoning_behind_change error changed
T7  repeated_reasoning items
T4  reasoning_without_follower items
T5  item_before_reasoning items
T6  unsigned_call T6
X1  unanswered_server_call server
X2  orphan_server_result server
V1  refused_media media
"""
# The rules about bytes that are no characters: of these only a deep check sees all.
UNDECODED = ("F5", "F7")


class _Rules(LaterTable[Rule]):
    """The rules by their codes."""

    def __init__(self, table: str) -> None:
        self._modules: dict[str, str] = {}
        self._signs: dict[str, list[str]] = {}
        for code, module, *signs in map(str.split, table.strip().splitlines()):
            self._modules[code], self._signs[code] = module, signs
        super().__init__(self._modules, self._rule)

    def _rule(self, code: str) -> Rule:
        # That a module is a Rule is asked by the tests: here it would cost as much as reading the modules.
        return cast(Rule, import_module(f"{__name__}.{self._modules[code]}"))

    def that_may_find(self, scene: Scene) -> list[Rule]:
        """The rules that may find something in a scene: of all others it shows none of the signs."""
        shown = {sign for sign, is_shown in SIGNS.items() if is_shown(scene)} | scene.profile.refusals.keys()
        return [self[code] for code, signs in self._signs.items() if not shown.isdisjoint(signs)]


RULES = _Rules(_MODULES)
