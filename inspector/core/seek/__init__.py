"""Seeking in one open log: a text in its bytes, a place by its number or id, the rows that a filter line names."""
