"""Speech on this machine."""
