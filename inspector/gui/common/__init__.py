"""What every part of the window uses: texts, colours, actions, settings, prompts, safe display of foreign text."""
