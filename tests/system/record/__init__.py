"""A record of what the program does, to show that a restructuring of its source changes nothing.

    python -m tests.system.record OUT.jsonl [--logs FOLDER …] [--broken N] [--jobs N] [--quick] [--saves] [--pictures]
    python -m tests.system.record --compare BEFORE.jsonl AFTER.jsonl
    python -m tests.system.record --files FOLDER
    python -m tests.system.record --load FOLDER

Every log is put to the commands (`asking`), in forked processes that call the entry point of `python -m inspector`
(`running`). What a command prints, its exit code and every file that it writes go into a line of JSON a log
(`stored`). Beside that, the calls by which every kind of save changes files are recorded (`saves`, `calls`), and what
the window shows (`pictures`, `window`). Files that later versions must still load are written and loaded by `files`.

Nothing here but `inspector` and `inspector.__main__` is imported of the program, so that the same script runs with the
code of any checkout: `--code FOLDER`.
"""
