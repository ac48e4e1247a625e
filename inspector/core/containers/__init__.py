"""How a log keeps its records: bytes to record spans, and edited records back to bytes."""
