"""What providers accept: message schemas, profiles, and the texts of their errors.

A package for each message schema has four modules: `schema` (the forms of blocks, what a message must be, and how an
index reads it), `encode` (how a request is written), `plain` (the reader of the quick check), and `accepts` (the
profiles that share the schema, and how their errors read). The modules of this package are what these share.
"""
