"""What the details of a record are, as pieces of a kind each: what a front draws, without a word on how."""
