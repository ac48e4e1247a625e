"""Find logs and open them: formats, folders, archives, the stores of agents."""
