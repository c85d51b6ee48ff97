"""Hardware in the loop: scenarios that press, lay cards and break things, and rigs that do it to a whole table."""
