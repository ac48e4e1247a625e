"""The schema of Anthropic Messages, and what the API accepts."""
