"""Answers of the core as the window holds them: packed for the pipe, decoded when shown. No Qt."""
