"""The product under a watch, over hostile logs: no socket, no process, no change outside of the folders given to it."""
