"""What King of Roulette is played with on paper: its cards, and the mat with the spaces."""
