"""Deliberate faults where a log is saved."""

from tests.mutations.fault import Fault

SAVING = (
    Fault(
        "the folder is not flushed after a save",
        "inspector/core/save/atomic.py",
        "        os.fsync(handle)\n",
        "        pass\n",
        ("tests/save/test_nothing_lost.py::test_an_error_behind_the_replace_is_a_warning_and_keeps_the_backup",),
    ),
    Fault(
        "a save does not flush the folder",
        "inspector/core/save/atomic.py",
        "return (*told, *flush_folder(target.parent))",
        "return told",
        ("tests/save/test_nothing_lost.py::test_an_error_behind_the_replace_is_a_warning_and_keeps_the_backup",),
    ),
    Fault(
        "the written bytes are not judged again",
        "inspector/core/save/save.py",
        "self.verdict = _judge(source, self.plan, self.renamed).word",
        'self.verdict = "healthy"',
        ("tests/save/test_refused.py",),
    ),
    Fault(
        "the judgement of the written bytes is not heeded",
        "inspector/core/save/save.py",
        "if verdict == Verdict.BROKEN and all(",
        "if verdict != verdict and all(",
        ("tests/save/test_refused.py",),
    ),
    Fault(
        "a backup stays behind after a refused save",
        "inspector/core/save/save.py",
        "                discard(backup)\n                raise\n",
        "                raise\n",
        ("tests/save/test_refused.py",),
    ),
    Fault(
        "a log that changed meanwhile is replaced",
        "inspector/core/save/save.py",
        "write_whole(target, chunks, like, judge_part, log.source.check_unchanged, follow)",
        "write_whole(target, chunks, like, judge_part, None, follow)",
        ("tests/save/test_save.py",),
    ),
    Fault(
        "a link is written through",
        "inspector/core/save/atomic.py",
        "    if os.path.islink(target):\n",
        "    if False:\n",
        ("tests/save/test_refused.py",),
    ),
    Fault(
        "the mode of the log is not kept",
        "inspector/core/save/likeness.py",
        "        new.chmod(mode)\n",
        "        pass\n",
        ("tests/save/test_likeness.py",),
    ),
    Fault(
        "a second saver is let in",
        "inspector/core/save/saving.py",
        "fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)",
        ("tests/save/test_refused.py",),
    ),
    Fault(
        "a changed record is written though it is no JSON",
        "inspector/core/save/save.py",
        "        if not is_sound(text):\n",
        "        if False:\n",
        ("tests/save/test_refused.py",),
    ),
    Fault(
        "what a running process writes is taken for a left-over",
        "inspector/core/bytes/leftovers.py",
        '_is_running(int(note.name.partition("-")[0]))',
        "False",
        ("tests/save/test_nothing_lost.py",),
    ),
    Fault(
        "a plan is done though a record that it names is another one",
        "inspector/core/repair/without_content/applying.py",
        'if hashed(key, b"records") != file.bound:',
        "if False:",
        ("tests/passed_on/test_plans.py::test_each_named_record_binds_it",),
    ),
    Fault(
        "a plan mends what it does not name",
        "inspector/core/repair/taken.py",
        '            return "", "leave"\n        offered',
        "            pass\n        offered",
        ("tests/passed_on/test_plans.py::test_only_what_it_names_is_done",),
    ),
    Fault(
        "what is made of a log takes its place",
        "inspector/core/engine/report_file.py",
        "    refuse_the_log(output, log)\n",
        "",
        ("tests/save/test_originals.py::test_nor_that_of_the_archive_that_the_log_lies_in",),
    ),
)
