"""A repair that is planned at one place and done at another: the plan, and the archive that takes it there."""
