"""Write a planned repair atomically, with a backup, and verify the file before it gets its final name."""
