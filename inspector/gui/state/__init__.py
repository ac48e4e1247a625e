"""What the window shows, without widgets: the open log, the draft of its repair, the list of logs, a pasted error."""
