"""Shortening a history without cutting an exchange: where it may be cut, what goes, and what that costs."""
