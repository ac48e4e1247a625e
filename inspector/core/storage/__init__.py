"""The bytes of logs: sources, edits of JSON texts, containers, archives, and temporary files."""
