"""Text to speech on this machine."""
