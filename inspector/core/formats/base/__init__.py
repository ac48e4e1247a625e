"""What a format declares, and what several formats share."""
