"""Casts rays into many chance bowls at once, on whatever device the training runs on."""
