"""Texts that programs write and this one knows: placeholders, refusals, and the errors of providers."""
