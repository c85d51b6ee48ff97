"""What a table does at the floor's word beside its game: prices, decks, evidence, who is on duty."""
