"""A wrongly entered pocket is reported, whether the ball was read before or not."""

from dataclasses import replace

import numpy as np
import pytest
import turned_wheels
from spins import spin

from companion.games.roulette.plugin import ROULETTE
from companion.kernel.table import Header, Table
from companion.tracking.watched import WatchSight
from companion.vision.frame import Frame


@pytest.mark.parametrize("is_read", [False, True], ids=["before it is read", "after it is read"])
@pytest.mark.thorough
def test_a_wrong_pocket_is_told_once(is_read: bool) -> None:
    made = spin(turned_wheels.wheel(turned_wheels.look(1, film=True)), np.random.default_rng(1), "spun")
    plan = replace(made, fps=15.0, rest_s=2.0)
    wrong = "17" if plan.pocket != "17" else "18"
    table = Table(Header(ROULETTE.rules, (("Ann", 100),), {"bank": 1000}))
    table.do({"do": "bet", "player": "Ann", "on": f"straight/{wrong}", "amount": 1})
    table.do({"do": "no-more-bets"})
    sight = WatchSight(ROULETTE.perception)
    is_entered, asked, notes = False, [], []
    for shot in plan.shots():
        notes += sight.see(Frame(shot.picture, shot.t, 1), shot.t)
        asked = [question.text for question in sight.propose(table.situation()).questions]
        if not is_entered and (asked if is_read else shot.t > plan.rests_at):
            assert asked == ([f"The camera reads {plan.pocket}. Does it count?"] if is_read else [])
            table.do({"do": "spin", "pocket": wrong})
            is_entered = True
    assert is_entered
    assert asked == [
        f"{wrong} was entered by hand, but the camera reads {plan.pocket}. {wrong} counts unless it is undone."
    ]
    assert len(notes) == 1
    assert table.situation().state.last == (wrong,)
