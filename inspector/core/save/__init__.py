"""Write a planned repair: with a backup, atomically, and verified before it takes its name."""
