"""The check of a log: findings, verdict, outcome of a resume, known causes, and whether a call ran."""
