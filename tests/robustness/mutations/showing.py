"""Deliberate faults in what the window shows of a log, and keeps of it."""

from tests.robustness.mutations.fault import Fault

SHOWING = (
    Fault(
        "another log keeps the undo history",
        "inspector/gui/state/repair_draft.py",
        "self.undo_stack.clear()",
        "pass",
        ("tests/gui/test_document.py::test_another_log_starts_without_the_choices_of_the_one_before",),
    ),
    Fault(
        "another log keeps the choices",
        "inspector/gui/state/repair_draft.py",
        "        self.choices = self._saved_choices = self._first_choices\n",
        "        self._saved_choices = self._first_choices\n",
        ("tests/gui/test_document.py::test_another_log_starts_without_the_choices_of_the_one_before",),
    ),
    Fault(
        "another log keeps the offered results",
        "inspector/gui/state/repair_draft.py",
        "self._offered.clear()",
        "pass",
        ("tests/gui/test_mending.py::test_another_log_has_none_of_the_results_that_were_found_for_the_one_before",),
    ),
    Fault(
        "a quick look at a log passes over its time",
        "inspector/gui/state/file_watcher.py",
        "(status.st_size, status.st_mtime_ns,",
        "(status.st_size, self.modified,",
        ("tests/gui/test_stamp.py",),
    ),
    Fault(
        "a quick look at a log passes over its inode",
        "inspector/gui/state/file_watcher.py",
        "status.st_ino)\n",
        "self.inode)\n",
        ("tests/gui/test_stamp.py",),
    ),
    Fault(
        "the stamp of a log is without its time",
        "inspector/gui/state/file_watcher.py",
        "size, modified = status.st_size, status.st_mtime_ns",
        "size, modified = status.st_size, 0",
        ("tests/gui/test_stamp.py",),
    ),
    Fault(
        "the stamp of a log is without its inode",
        "inspector/gui/state/file_watcher.py",
        "status.st_ino, tail)",
        "0, tail)",
        ("tests/gui/test_stamp.py",),
    ),
    Fault(
        "another file that holds more counts as a log that has grown",
        "inspector/gui/state/file_watcher.py",
        " and now.inode == self.inode",
        "",
        ("tests/gui/test_stamp.py",),
    ),
    Fault(
        "the bookmark of a record that is gone is shown",
        "inspector/gui/state/bookmarks.py",
        "< len(log.starts) and",
        "and mark.record >= len(log.starts) or",
        ("tests/gui/test_bookmarks.py::test_a_record_that_is_gone_has_no_note_until_it_is_back",),
    ),
    Fault(
        "the bookmark of a record that is gone is forgotten",
        "inspector/gui/state/bookmarks.py",
        "self._stale.append(mark)",
        "pass",
        ("tests/gui/test_bookmarks.py::test_a_record_that_is_gone_has_no_note_until_it_is_back",),
    ),
    Fault(
        "the log with the most errors is listed last",
        "inspector/gui/models/logs_model.py",
        "kept, -verdict.errors",
        "kept, verdict.errors",
        ("tests/gui/test_logs_list.py::test_of_broken_logs_the_one_that_lost_the_most_is_first",),
    ),
)
