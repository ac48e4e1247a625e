"""The panes of the window. Each listens to the document and never to another pane."""
