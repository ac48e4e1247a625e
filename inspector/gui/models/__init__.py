"""Qt item models. Their columns are data, and large models hold numbers instead of a tree of objects."""
