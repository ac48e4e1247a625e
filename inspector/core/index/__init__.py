"""The index of a log: columns of records and blocks, the sessions and threads in it, and a record as it is viewed."""
