"""Reports that leave the house: without what a log says, unless redacted excerpts are asked for."""
