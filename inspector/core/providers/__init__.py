"""What providers accept: message schemas, profiles, and the texts of their errors."""
