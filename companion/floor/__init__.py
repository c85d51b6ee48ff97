"""Server side of a multi-table house: PostgreSQL copies of every table's journal, and the players' purses.

Optional: tables run without it, and ``companion run`` imports none of it. Needs the ``floor`` extra.
"""
