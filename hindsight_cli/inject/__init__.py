"""Ranked experiences become text for an agent."""
