"""Printed parts of blackjack."""
