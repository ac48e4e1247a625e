"""The version, by itself: who tells it imports nothing else."""

__version__ = "0.2.0"

PROGRAM_NAME = "Transcript Inspector"
"""By which the system knows the program: its settings lie under it."""
