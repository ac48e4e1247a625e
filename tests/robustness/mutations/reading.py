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
        "    foreign = format is not UNKNOWN_FORMAT and not messages_fit_format(log)\n",
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
        "a file that became shorter is read as far as it goes",
        "inspector/core/storage/source.py",
        "        if start + len(data) < min(end, self.size):\n",
        "        if start + len(data) < 0:\n",
        ("tests/core/discovery/test_odd_paths.py::test_a_file_that_became_shorter_is_not_read_as_far_as_it_goes",),
    ),
    Fault(
        "several processes read the packed bytes of a large log",
        "inspector/core/engine/parallel_reader.py",
        " or not is_plain or ",
        " or ",
        ("tests/core/engine/test_workers.py::test_a_packed_large_log_is_what_it_is_without_other_processes",),
    ),
    Fault(
        "a file in a folder that cannot be read counts as no log",
        "inspector/core/discovery/opening.py",
        "        source = open_head(path)\n    except (Inaccessible, ChangedMeanwhile):\n        raise\n",
        "        source = open_head(path)\n    except (Inaccessible, ChangedMeanwhile):\n        return None\n",
        ("tests/core/discovery/test_odd_paths.py::test_what_cannot_be_read_in_a_folder_is_told",),
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
    Fault(
        "a document before another one is a prompt of a terminal",
        "inspector/core/storage/wrappers.py",
        'line.endswith(("}", "}]"))',
        'line.endswith("}")',
        ("tests/core/storage/test_wrappers.py",),
    ),
    Fault(
        "true and false are numbers",
        "inspector/core/providers/message_fields.py",
        "elif type(value) is kind:",
        "elif isinstance(value, kind):",
        ("tests/core/providers/test_block_tables.py", "tests/core/formats/test_dsh.py"),
    ),
)
