"""What a front end shows of a log, as plain values: tree, details, preview, diff."""
