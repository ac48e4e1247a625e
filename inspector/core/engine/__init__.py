"""The one door between a front and the core."""
