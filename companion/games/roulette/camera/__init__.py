"""The camera at a roulette table: the wheel, its rotor, the ball, and the pocket in which it rests."""
