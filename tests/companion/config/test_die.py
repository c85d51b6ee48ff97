"""The tray and the die in the configuration."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from companion.config.tables import DieConfig


def test_without_a_word_any_die_of_the_game_counts_anywhere_in_the_picture():
    assert DieConfig().kinds == ("d20", "rugen")
    assert DieConfig().zone is None


@pytest.mark.parametrize("kind", ["d20", "rugen"])
def test_one_kind_alone_can_be_asked_for(kind):
    assert DieConfig(kind=kind).kinds == (kind,)


def test_a_zone_is_shares_of_the_picture():
    assert DieConfig(zone=(0.1, 0, 0.8, 1)).zone == (0.1, 0.0, 0.8, 1.0)


@pytest.mark.parametrize("zone", [(0.5, 0, 0.8, 1), (0, 0, 0.01, 1), (0, 0.9, 1, 0.2), (-0.1, 0, 1, 1), (0, 0, 1)])
def test_a_zone_outside_the_picture_is_refused(zone):
    with pytest.raises(ValidationError):
        DieConfig(zone=zone)


def test_a_d6_is_no_die_of_rugen():
    with pytest.raises(ValidationError):
        DieConfig(kind="d6")
