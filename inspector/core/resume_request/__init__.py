"""What an agent will send when it resumes a log, as JSON in its own wire format."""
