"""Everything the product does, without a window. Nothing in here knows Qt."""
