"""Dice in a bowl, ray by ray: how they come to rest on its curved inside, and how a camera sees them there.

Lengths are in edges of a die. The world's z axis points up from the table, the bowl's middle is at x = y = 0.
"""
