"""The demo tables: render what a camera above a real table would see, for a house without a camera."""
