"""The check of many logs: rows for each, on any executor, remembered between runs, and written as tables."""
