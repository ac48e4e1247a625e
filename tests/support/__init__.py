"""What tests of every part use: the notation for histories, independent readers and judges, and the command line."""
