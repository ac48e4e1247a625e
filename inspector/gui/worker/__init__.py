"""The child processes that read, check and write logs, and the pipes to these processes."""
