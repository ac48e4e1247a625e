"""Deliberate faults: each is put into a copy of the program, and the tests that are to notice it must fail."""
