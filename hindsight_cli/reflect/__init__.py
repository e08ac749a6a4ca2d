"""A trace becomes an attribution and candidate experiences."""
