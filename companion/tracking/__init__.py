"""Tracking over time: from per-frame sightings to stable observations and what they mean in the game."""
