"""Every file operation of every save fails, in every way: the original or the new log is whole and findable.

`python -m tests.robustness.faults` is the long run; `shim.c` makes operations fail, `scenarios` says what is
saved, `rules` what must hold after it.
"""
