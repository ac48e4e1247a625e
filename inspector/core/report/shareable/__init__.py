"""Reports to share: without the content of a log, unless redacted excerpts are requested."""
