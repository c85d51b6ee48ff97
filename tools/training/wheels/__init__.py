"""Trains the networks that find the ball in an unrolled roulette wheel, on randomly rendered rings."""
