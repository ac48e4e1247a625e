"""What a front end shows of a log, as plain values: the tree, the details, the preview and the diff."""
