"""One door to each heavy library or foreign program; imported only by who uses it."""
