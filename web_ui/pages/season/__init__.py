"""Statistics pages over evenings: league, players, the house's results, and pictures to share."""
