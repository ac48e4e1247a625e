"""Images and documents within a message: how each provider spells them, and how large they are."""
