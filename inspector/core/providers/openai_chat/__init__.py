"""The schema of OpenAI Chat Completions, and what the servers that speak it accept."""
