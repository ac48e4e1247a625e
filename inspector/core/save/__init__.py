"""Putting a plan on disk: never the original unasked, never half a file, never unchecked."""
