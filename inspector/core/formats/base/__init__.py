"""The base classes of the formats, and what several formats share."""
