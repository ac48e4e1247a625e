"""The model of a log: columns of records and blocks, sessions, threads, and one record as it is viewed."""
