"""Which experiences answer a query, and why; or that none does."""
