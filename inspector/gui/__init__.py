"""The window. May import the core; the core never imports it. No Qt in this file: the child process passes here."""
