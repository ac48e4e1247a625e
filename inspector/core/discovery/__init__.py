"""Find and open logs in files, folders, archives, and the stores of agents."""
