"""What may not become memory: schema, grounding, literals, secrets, risk."""
