"""Qt item models over columns: they hold numbers, never a tree of objects."""
