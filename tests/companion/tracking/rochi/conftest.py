"""Hand-made Rochi tables to begin a test with."""

import pytest
from rochi_hands import Hands, rochi


@pytest.fixture
def seeding() -> Hands:
    """Four players; four seed cards are to come."""
    return rochi(4)


@pytest.fixture
def hand(seeding: Hands) -> Hands:
    """Four players, the stacks seeded with 7D1 6D1 5D1 7N1; it is Aubrey's turn, in seat 1."""
    seeding.seed("7D1", "6D1", "5D1", "7N1")
    seeding.said.clear()
    return seeding


@pytest.fixture
def bare() -> Hands:
    """The same without a mat: nothing is known but which cards lie there."""
    table = rochi(4, has_mat=False)
    table.seed("7D1", "6D1", "5D1", "7N1")
    table.said.clear()
    return table
