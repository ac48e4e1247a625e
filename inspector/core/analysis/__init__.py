"""A thread as the rules see it: pairing of tool calls and results, and what is wrong with each."""
