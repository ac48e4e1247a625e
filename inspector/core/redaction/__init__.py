"""Redaction of texts and anonymization of whole logs."""
