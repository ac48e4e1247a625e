"""Check a log: its findings, its verdict, the outcome of a resume, known causes, and whether a call ran."""
