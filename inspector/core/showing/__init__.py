"""What a front shows of a log, as columns and values: the tree, the overview, the preview of a plan, subagents."""
