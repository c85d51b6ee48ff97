"""The pit's overview of all tables: live board, player search, takings, day closes, audit log."""
