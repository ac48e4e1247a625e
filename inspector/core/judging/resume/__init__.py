"""What a resume comes to: what the agent sends, compared with the log and judged by the provider."""
