"""One idea a file; each takes a Reading and returns findings. Pure."""
