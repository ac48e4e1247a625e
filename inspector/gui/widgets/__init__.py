"""Widgets and delegates that know nothing about logs."""
