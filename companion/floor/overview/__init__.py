"""What the pit sees of all tables: the board, the search, what they took, and the close of a day."""
