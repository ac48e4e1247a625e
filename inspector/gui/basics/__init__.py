"""What every pane uses: words, colours, icons, actions, settings, and the gate for text of a log."""
