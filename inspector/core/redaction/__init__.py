"""Taking out of a text what tells who or where somebody is, and what opens a door: each under a stable pseudonym."""
