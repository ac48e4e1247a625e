"""What is said of the answers: as text for a person, as JSON for a program, and the help pages."""
