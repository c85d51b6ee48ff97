"""The bowl as the camera sees it: its rim, the dice in it and beside it, and a throw from first motion to rest."""
