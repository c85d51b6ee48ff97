"""Torture test: deterministic simulation with a fake clock, scheduler and disk, and kill -9 of real processes.

Both generate commands and faults from one seed, and check the table against the same naive model.
"""
