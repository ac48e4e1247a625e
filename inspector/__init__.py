"""Transcript Inspector: a linter with autofix for the logs of LLM agents."""

__version__ = "0.1.0"
