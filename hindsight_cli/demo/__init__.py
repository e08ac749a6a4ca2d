"""What `hindsight demo` plays, and the scripted agent that plays in it."""
