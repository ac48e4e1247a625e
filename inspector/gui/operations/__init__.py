"""User operations that take several steps: save, restore, share, repair, paste, forget."""
