"""What blackjack has on paper."""
