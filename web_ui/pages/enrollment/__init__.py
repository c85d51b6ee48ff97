"""Camera enrollment pages: dice, ordinary decks, and the camera's angle to the dice tray."""
