"""Table side of a multi-table house: joins a floor, ships the journal, and moves coins from and to purses.

Play never waits for any of it. Does not need PostgreSQL.
"""
