"""The third painter: dice on tables by Mitsuba's path tracer, kept in files; from them dice are cut for the networks.

It shares fonts, numerals, layouts, colours and table tops with the first painter and nothing of its light.
"""
