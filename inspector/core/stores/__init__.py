"""The stores in which agents keep their sessions on this machine."""
