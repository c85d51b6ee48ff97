"""What the pit decides for its tables, and what it learns from them: prices, decks, who is on duty, disputes."""
