"""Qt item models. Their columns are defined as data, and large models hold numbers instead of a tree of objects."""
