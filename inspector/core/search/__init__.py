"""Search an open log for text, for places by number or id, and for rows that a filter selects."""
