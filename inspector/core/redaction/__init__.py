"""Remove what identifies people from text, and anonymize whole logs."""
