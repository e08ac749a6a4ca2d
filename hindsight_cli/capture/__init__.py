"""An agent's doings become events."""
