"""The child processes that read, judge and write, and the window's side of the pipes to them."""
