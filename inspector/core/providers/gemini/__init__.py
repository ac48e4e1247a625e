"""The schema of Gemini `contents`, and what the API accepts."""
