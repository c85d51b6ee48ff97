"""Dice in a bowl: resting poses on its curved inside, and a ray tracer.

Lengths are in edges of a die. The world's z axis points up from the table, the bowl's centre is at x = y = 0.
"""
