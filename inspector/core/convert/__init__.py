"""Convert a history into messages for another API, or into a page for people to read."""
