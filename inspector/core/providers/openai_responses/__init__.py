"""The schema of the OpenAI Responses API, and what the servers that speak it accept."""
