"""The commands and their modules, known without importing any of them."""

COMMANDS: dict[str, str] = {
    "fix": "inspector.cli.fix",
    "check": "inspector.cli.check",
    "status": "inspector.cli.status",
    "repair": "inspector.cli.repair",
    "sessions": "inspector.cli.sessions",
    "doctor": "inspector.cli.doctor",
    "explain": "inspector.cli.explain",
    "formats": "inspector.cli.reference_tables",
    "rules": "inspector.cli.reference_tables",
    "presets": "inspector.cli.reference_tables",
    "strategies": "inspector.cli.reference_tables",
    "wordings": "inspector.cli.reference_tables",
    "profiles": "inspector.cli.reference_tables",
    "restore": "inspector.cli.restore",
    "convert": "inspector.cli.convert",
    "sent": "inspector.cli.sent",
    "trim": "inspector.cli.trim",
    "bundle": "inspector.cli.bundle",
    "forget": "inspector.cli.forget",
    "compare": "inspector.cli.compare",
    "completion": "inspector.cli.completion",
    "man": "inspector.cli.man",
}

COMPLETION_VARIABLE = "_TRANSCRIPT_INSPECTOR_COMPLETE"
"""The variable by which a shell asks click for completions."""
