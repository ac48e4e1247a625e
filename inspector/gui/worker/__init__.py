"""The child processes that read, judge and write logs, and the pipes to them."""
