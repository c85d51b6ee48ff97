"""Reading of ordinary decks without codes, by the indices and faces that were photographed at enrollment."""
