"""Two logs of one conversation: what both hold, what each has that the other lacks, and in which order."""
