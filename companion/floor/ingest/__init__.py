"""Takes what the tables ship: each chain is checked, written once, and countersigned, in a process of its own."""
