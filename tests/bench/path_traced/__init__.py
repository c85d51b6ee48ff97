"""Path-traced dice on tables, by Mitsuba: see `path_traced_dice.py`."""
