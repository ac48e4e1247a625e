"""Repairs: strategies and presets, planned as edits and verified before anything is written."""
