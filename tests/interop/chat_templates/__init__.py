"""The chat templates of models, rendered as a local server does: the judges of the profiles that describe them."""
