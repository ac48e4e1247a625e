"""Opening a log: which format it has, its index, and the logs that a folder or an archive holds."""
