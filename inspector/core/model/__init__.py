"""The model of a log: columns of records and blocks, sessions, threads, and the view of one record."""
