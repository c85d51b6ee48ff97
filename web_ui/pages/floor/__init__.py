"""Table pages backed by the house's floor: purses and dealer sign-on."""
