"""Trace files (truth), outputs by hash, and the index over them."""
