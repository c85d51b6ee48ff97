"""From what single pictures show to what has been true long enough, and what that means in the game."""
