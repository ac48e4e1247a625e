"""Archives that somebody sent: zip and tar, plain or compressed; read member by member, and never unpacked."""
