"""Reports that leave the house: what may not be in them, and whether others can read them."""
