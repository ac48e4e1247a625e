"""Deliberate faults where a log is read, and its calls and results are paired."""

from tests.robustness.mutations.fault import Fault

GUESSED = "tests/core/formats/test_detection.py::test_a_guess_is_taken_that_is_certain_enough_and_the_only_one"

READING = (
    Fault(
        "a byte order mark is read as text",
        "inspector/core/storage/source.py",
        "self.start = len(BOM) if",
        "self.start = 0 if",
        ("tests/core/rules/test_damage.py",),
    ),
    Fault(
        "a cancelled reading goes on",
        "inspector/core/storage/source.py",
        "    if cancelled is not None and cancelled():\n",
        "    if cancelled is None:\n",
        ("tests/gui/test_engine_process.py", "tests/core/discovery/test_stores.py"),
    ),
    Fault(
        "a format is taken that is not certain enough",
        "inspector/core/formats/__init__.py",
        "_LEAST_SCORE = 0.4",
        "_LEAST_SCORE = 0.3",
        (GUESSED,),
    ),
    Fault(
        "of two formats that are as certain one is taken",
        "inspector/core/formats/__init__.py",
        " or (len(scores) > 1 and scores[0][0] == scores[1][0])",
        "",
        (GUESSED,),
    ),
    Fault(
        "a borrowed envelope is believed",
        "inspector/core/discovery/opening.py",
        "    foreign = format is not UNKNOWN_FORMAT and not fits_its_format(log)\n",
        "    foreign = False\n",
        ("tests/core/formats/test_foreign_shapes.py",),
    ),
    Fault(
        "lines behind a blank one are off by one",
        "inspector/core/model/session.py",
        "gaps == len(starts) - 1",
        "gaps <= len(starts)",
        ("tests/cli/test_places.py",),
    ),
    Fault(
        "the line is not counted back for a record before the newest one",
        "inspector/core/model/session.py",
        "    return offset, line - source.count_line_ends(offset, start)",
        "    return offset, line - source.count_line_ends(offset, start) + 1",
        ("tests/cli/test_places.py",),
    ),
    Fault(
        "the last line of a file is lost that has no line end",
        "inspector/core/storage/source.py",
        "            if offset + filled == self.size:\n                cut = filled\n",
        "",
        ("tests/core/rules/test_damage.py::test_t50_a_whole_last_line_without_newline_stays",),
    ),
    Fault(
        "the last line without a line end is lost of a log that is read at once",
        "inspector/core/storage/source.py",
        "len(piece) if start + len(piece) == self.size else piece",
        "piece",
        ("tests/core/rules/test_damage.py::test_t50_a_whole_last_line_without_newline_stays",),
    ),
    Fault(
        "a side thread of Claude Code is taken for the main one",
        "inspector/core/formats/claude_code/loader.py",
        "    skipped = RecordMark.SIDE_THREAD | RecordMark.TRANSIENT\n",
        "    skipped = RecordMark.TRANSIENT\n",
        ("tests/core/repair/test_tree.py",),
    ),
    Fault(
        "a result behind another turn counts as in its place",
        "inspector/core/analysis/pairing.py",
        "is_next = turn == pairing.turns[pairing.path_positions[call]] + 1",
        "is_next = turn >= pairing.turns[pairing.path_positions[call]] + 1",
        ("tests/core/repair/test_table.py::test_diagnosis[T11 result behind another answer-openai-chat]",),
    ),
    Fault(
        "a placeholder is preferred to the real result",
        "inspector/core/analysis/pairing.py",
        "if rank(tool, call) >= rank(current, call):",
        "if rank(tool, call) <= rank(current, call):",
        ("tests/core/repair/test_table.py::test_repair[T21 placeholder before the real result-openai-chat-default]",),
    ),
    Fault(
        "a result before its call is not bound to it",
        "inspector/core/analysis/pairing.py",
        "if len(results) == 1 and states[call] == PairingState.OPEN:",
        "if len(results) > 1 and states[call] == PairingState.OPEN:",
        ("tests/core/repair/test_table.py::test_repair[T13 result before its call-anthropic-messages-default]",),
    ),
)
