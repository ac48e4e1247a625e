"""Dialogs with more than one question, each a class of its own; the short ones are in `panels.questions`."""
