"""Simulated Rochi tables as fixtures."""

import pytest
from rochi_hands import Hands, rochi


@pytest.fixture
def seeding() -> Hands:
    """Four players, before the four seed cards."""
    return rochi(4)


@pytest.fixture
def hand(seeding: Hands) -> Hands:
    """Four players, stacks seeded with 7D1 6D1 5D1 7N1; it is the turn of Aubrey in seat 1."""
    seeding.seed("7D1", "6D1", "5D1", "7N1")
    seeding.said.clear()
    return seeding


@pytest.fixture
def bare() -> Hands:
    """The same without a mat: only the identities of the cards are known."""
    table = rochi(4, has_mat=False)
    table.seed("7D1", "6D1", "5D1", "7N1")
    table.said.clear()
    return table
