"""Judging a log: its findings, their places, what its agent makes of it on resume, the verdict."""
