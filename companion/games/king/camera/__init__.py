"""Camera interpreter of King of Roulette: face-up cards and chips on the mat."""
