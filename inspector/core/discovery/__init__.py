"""Finding and opening logs: in files, folders, archives, and the stores of agents."""
