"""What providers accept: message schemas, profiles, and the texts of their errors.

A package for each message schema has two modules: `schema` (the forms of blocks, what a message must be, and how it is
decoded and encoded) and `accepts` (the profiles that share the schema, and how their errors read). The modules of this
package are what these share.
"""
