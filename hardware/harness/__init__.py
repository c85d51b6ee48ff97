"""Hardware-in-the-loop tests: scenarios of button presses, cards and faults, and the rigs that run them."""
