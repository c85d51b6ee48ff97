"""Torture: the real table under a simulated clock, scheduler and disk, and real processes that are killed.

Both draw from one seed what is played and what goes wrong, and hold the table against the same naive model.
"""
