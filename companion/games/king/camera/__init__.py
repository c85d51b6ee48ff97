"""The camera at a table of King of Roulette: cards and chips that lie open on its mat."""
