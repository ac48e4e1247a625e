"""The version, by itself: who tells it imports nothing else."""

__version__ = "0.1.0"
