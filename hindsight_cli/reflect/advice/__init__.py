"""What a piece of advice asks for, so that a trace can show whether it was followed."""
