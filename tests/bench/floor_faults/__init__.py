"""A house under faults: everything is cut and killed at random, and at the end nothing is lost, doubled or made up."""
