"""Printed parts of King of Roulette: cards, mat and paper slips."""
