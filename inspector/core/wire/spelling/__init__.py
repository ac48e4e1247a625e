"""How every wire spells its blocks, as data: rows of members, a table a wire."""
