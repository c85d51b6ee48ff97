"""Pages over evenings: the league, players, what the house has won, and pictures to share."""
