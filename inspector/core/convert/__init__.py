"""Convert a history into messages of another API, or into a page for a reader."""
