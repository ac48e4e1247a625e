"""Ours beside other repairers over the same cases: `python -m tests.interop.comparison` prints the table."""
