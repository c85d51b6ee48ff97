"""The floor's directives at a table: prices, decks, evidence, dealer on duty."""
