"""What every part of the window uses: texts, colors, actions, settings, prompts, and safe display of untrusted text."""
