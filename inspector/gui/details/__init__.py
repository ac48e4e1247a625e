"""How the details of a row are drawn."""
