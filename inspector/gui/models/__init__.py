"""Qt item models: what their columns say is data; the large ones hold numbers, never a tree of objects."""
