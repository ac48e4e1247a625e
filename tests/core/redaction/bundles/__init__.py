"""Bundles: logs without content that yield the findings of those with it."""
