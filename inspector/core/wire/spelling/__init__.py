"""How every wire spells its blocks, as data: the only place that knows the names of their members."""
