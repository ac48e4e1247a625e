"""Converting a history into another shape: messages of OpenAI's or Anthropic's API, or a page for a reader."""
