"""The API of the core: what the command line, the window and other programs call."""
