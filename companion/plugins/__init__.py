"""What a game provides besides its rules, and the registry of installed games."""
