"""Trains the networks that find the ball in an unrolled roulette wheel, from rings painted by chance."""
