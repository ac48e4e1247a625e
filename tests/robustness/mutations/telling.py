"""Deliberate faults where a history is shortened, converted and told of."""

from tests.robustness.mutations.fault import Fault

TELLING = (
    Fault(
        "a history is cut through an exchange",
        "inspector/core/trim/boundaries.py",
        "if inside_pairs[position] or position == starts[0] or",
        "if position == starts[0] or",
        ("tests/core/trim/test_boundaries.py",),
    ),
    Fault(
        "a history ends within an exchange",
        "inspector/core/trim/boundaries.py",
        "if not inside_pairs[position] and not continues:",
        "if not continues:",
        ("tests/core/trim/test_before.py",),
    ),
    Fault(
        "a result is shrunk to a longer note",
        "inspector/core/trim/trim.py",
        "if new_block is None or len(note) >= large.size:",
        "if new_block is None:",
        ("tests/core/trim/test_trim.py",),
    ),
    Fault(
        "a fence ends within the text",
        "inspector/core/convert/markdown.py",
        'fence = "`" * max(3, longest + 1)',
        'fence = "`" * 3',
        ("tests/core/convert/test_markdown.py",),
    ),
    Fault(
        "words that Markdown reads as marks stand as they are",
        "inspector/core/convert/markdown.py",
        "_PLAIN.fullmatch(text) and not _LISTED.match(text)",
        "not _LISTED.match(text)",
        ("tests/core/convert/test_markdown.py",),
    ),
    Fault(
        "a tool of unknown name is called read-only",
        "inspector/core/analysis/tool_effects.py",
        "return TOOL_EFFECTS.get(name.lower(), ToolEffect.UNKNOWN)",
        "return TOOL_EFFECTS.get(name.lower(), ToolEffect.READ_ONLY)",
        ("tests/core/analysis/test_tool_effects.py",),
    ),
    Fault(
        "a record speaks of an earlier call with the same id",
        "inspector/core/analysis/evidence_search.py",
        "first = bisect_left(numbers, records[count - 1], key=record_of)\n"
        "        return numbers[first : bisect_right(numbers, records[count - 1], first, key=record_of)]",
        "first = bisect_left(numbers, records[0], key=record_of)\n"
        "        return numbers[first : bisect_right(numbers, records[0], first, key=record_of)]",
        ("tests/core/analysis/test_evidence_search.py",),
    ),
    Fault(
        "the number in a pasted error is off by the system prompt",
        "inspector/core/error_lookup/locate.py",
        "wanted = message - self.shift",
        "wanted = message",
        ("tests/core/error_lookup/test_locate.py",),
    ),
    Fault(
        "a word of a log stands in a command that only begins plainly",
        "inspector/core/formats/base/copyable_commands.py",
        "_PLAIN_WORD.fullmatch(word)",
        "_PLAIN_WORD.match(word)",
        ("tests/cli/test_terminal.py",),
    ),
    Fault(
        "a log turns the direction of the terminal's text",
        "inspector/cli/terminal.py",
        "\\u2028-\\u202e\\u2066-\\u2069",
        "\\u2028-\\u2029",
        ("tests/cli/test_terminal.py",),
    ),
    Fault(
        "findings leave with exit code 0",
        "inspector/cli/exit_codes.py",
        "OK, FINDINGS, UNREADABLE, NOT_JUDGED = 0, 1, 2, 3",
        "OK, FINDINGS, UNREADABLE, NOT_JUDGED = 0, 0, 2, 3",
        ("tests/core/repair/test_table.py::test_diagnosis[T06 unanswered in the middle-openai-chat]",),
    ),
    Fault(
        "of several paths the last one counts",
        "inspector/cli/exit_codes.py",
        "_WORST_FIRST = (UNREADABLE, FINDINGS, NOT_JUDGED, OK)",
        "_WORST_FIRST = (OK, NOT_JUDGED, FINDINGS, UNREADABLE)",
        ("tests/core/engine/test_program_faults.py::test_one_bad_log_does_not_end_a_run",),
    ),
    Fault(
        "of several paths one that is not judged counts more than findings",
        "inspector/cli/exit_codes.py",
        "FINDINGS, NOT_JUDGED, OK)",
        "NOT_JUDGED, FINDINGS, OK)",
        ("tests/cli/test_command_line.py::test_the_exit_code_for_several_paths_is_the_worst_in_any_order",),
    ),
    Fault(
        "the report quotes the log's own provider where another was asked for",
        "inspector/core/check/check.py",
        "        profile=profile,\n",
        "        profile=profile_named(session.profile),\n",
        ("tests/core/check/test_provider_judged_for.py::test_the_report_quotes_the_provider_that_the_person_names",),
    ),
    Fault(
        "Ctrl+C cuts short what is being written",
        "inspector/cli/interruption.py",
        "        if self._is_waiting or not is_first:\n",
        "        if True:\n",
        ("tests/cli/test_interruption.py::test_what_is_being_written_is_finished_and_the_mark_of_ctrl_c_erased",),
    ),
    Fault(
        "a forked process removes the temporary files of its parent",
        "inspector/core/storage/temporary_files.py",
        "        if self._owner != os.getpid():  # a copy in a forked process\n",
        "        if not self._owner:\n",
        (
            "tests/core/save/test_nothing_lost.py"
            "::test_a_process_that_leaves_removes_its_own_files_and_not_those_of_its_parent",
        ),
    ),
    Fault(
        "stored sessions are listed as they are found",
        "inspector/core/discovery/stores.py",
        "(-log.modified, log.path)",
        "0",
        ("tests/core/discovery/test_stores.py::test_what_was_written_to_last_is_listed_first_wherever_it_lies",),
    ),
    Fault(
        "the oldest session is listed first",
        "inspector/core/discovery/stores.py",
        "key=lambda log: (-log.modified, log.path)",
        "key=lambda log: (log.modified, log.path)",
        ("tests/core/discovery/test_stores.py",),
    ),
)
