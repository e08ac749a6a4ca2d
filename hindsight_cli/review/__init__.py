"""The human decision as a state machine."""
