"""Search in an open log: text, places by number or id, rows that a filter selects."""
