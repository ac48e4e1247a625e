"""Widgets and delegates that know nothing of logs."""
