"""Hardware in the loop: scenarios that press buttons, lay cards and break things, and rigs that run them on a table."""
