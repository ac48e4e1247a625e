"""Tests of the repository itself: its pages, its layers, its requirements, and the tools of its tests."""
