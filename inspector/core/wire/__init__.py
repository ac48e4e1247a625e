"""How one provider's messages are spelled: their blocks as rows, and blocks and messages as JSON."""
