"""Reports to share: without what a log says, unless redacted excerpts are asked for."""
