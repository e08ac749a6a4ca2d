"""The command line: parse, call one api verb, show."""
