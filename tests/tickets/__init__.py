"""Tickets: archives that somebody sent, and what is made of them."""
