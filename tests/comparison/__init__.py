"""Ours beside other repairers over the same cases: `python -m tests.comparison` prints the table."""
