"""The owners of what is shown: the open log, the draft of its repair, the list of logs, a pasted text."""
