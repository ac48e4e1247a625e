"""Messages in memory: a look that tells whether there is anything to mend, and the mending."""
