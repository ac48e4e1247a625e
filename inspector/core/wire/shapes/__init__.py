"""The shapes that a wire takes, as data: one table a wire, and the reader of the tables in `shape`."""
