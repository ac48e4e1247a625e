"""Hidden content: what a front shows of a log, its texts given way to their size, its names and ids to pseudonyms."""
