"""The server's side of a house of many tables: what PostgreSQL keeps of every table's journal, and the players' purses.

A table goes on without all this: nothing here is imported by ``companion run``. It needs the extra ``floor``.
"""
