"""Check many logs on any executor. The rows for each log are remembered between runs and written as tables."""
