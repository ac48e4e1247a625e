"""What an agent will send when it resumes a log, spelled as JSON of its own wire."""
