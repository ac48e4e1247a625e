"""Histories out of other programs' tests of their own repair: what we make of each, before independent judges.

The histories are no part of this repository: TRANSCRIPT_PEERCASES names their folder. CASES is the table of what is
expected, by their names; `wires` knows how each is written down, read again and judged.
"""
