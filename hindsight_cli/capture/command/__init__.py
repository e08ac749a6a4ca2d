"""A command run as a child, its output passed on unchanged and seen by a recorder."""
