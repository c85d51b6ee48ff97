"""Has cards laid on a demo table as a step says: the same for every rig that paints its world."""

from __future__ import annotations

from companion.games.roche.demo.table import DemoTable
from hardware.demo.layout import slot
from hardware.harness.steps import Lay


def begin_to_lay(demo: DemoTable, step: Lay) -> None:
    """Have a step's cards dealt onto their stacks by the hand, or put there at once; the next pictures show it."""
    below = [card.id[0] for card in demo.lying]
    for card in step.lay:
        if step.at_once:
            pose = slot(int(card[0]), below.count(card[0]))
            below.append(card[0])
            demo.put(card, pose.x, pose.y, make=step.make)
        else:
            demo.deal(card, make=step.make)
