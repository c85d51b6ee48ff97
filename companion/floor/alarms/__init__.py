"""Alarms: what of the board somebody in the pit has to be told, who is told, and that each is told once."""
