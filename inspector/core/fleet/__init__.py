"""Check many logs on a cluster, from object storage, in chunks, with a folder for the results of each run."""
