"""How the details of a row are drawn: pieces on a page that holds letters, pictures, and links of our own alone."""
