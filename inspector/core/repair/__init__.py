"""Repairs: what to do about each class (strategies, presets), planned as edits, verified before anything is written."""
