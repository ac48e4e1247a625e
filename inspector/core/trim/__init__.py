"""Shorten a history without separating a tool call from its result."""
