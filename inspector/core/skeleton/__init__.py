"""The skeleton of a log: records, blocks, order, lengths and ids as they are, every text replaced by other letters."""
