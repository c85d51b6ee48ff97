"""Rendered samples: dice, what lies beside them, and how a camera sees both, all chosen by chance."""
