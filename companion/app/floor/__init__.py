"""A table's side of a house of many tables: it joins a floor, ships its journal, and moves coins from and to purses.

Play never waits for any of this. Nothing here needs PostgreSQL.
"""
