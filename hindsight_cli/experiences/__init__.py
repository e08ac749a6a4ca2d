"""Experiences: the ledger (truth), its fold, and the store over it."""
