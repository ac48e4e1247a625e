"""Bytes before they mean anything: sources read by offset, JSON text measured and edited in place, temporary files."""
