"""Servers that tests put behind the proxy, each a program of its own."""
