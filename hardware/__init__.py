"""Hardware: cameras, the demo table, the dealer's panel, voice and test rigs."""
