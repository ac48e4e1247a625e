"""Delegates paint by roles and know no model."""
