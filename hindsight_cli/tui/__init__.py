"""The review room in the terminal."""
