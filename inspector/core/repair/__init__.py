"""Repairs: strategies and presets, planned as edits, verified before anything is written."""
