"""The page that prints, and how a request says what to print."""
