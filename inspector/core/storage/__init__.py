"""Logs as bytes: sources, JSON text edited in place, containers, archives, temporary files."""
