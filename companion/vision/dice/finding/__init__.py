"""Dice detection: finds and measures dice, and separates them from hands and walls."""
