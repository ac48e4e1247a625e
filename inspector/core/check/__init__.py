"""Check a log: findings, verdict, what a resume results in, known causes, whether a call ran."""
