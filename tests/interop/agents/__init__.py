"""The real agents as judges: they write logs, die, and resume, against a fake provider; see `__main__`."""
