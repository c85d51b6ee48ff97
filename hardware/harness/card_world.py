"""The rendered card table of the rigs: deck and felt of a scenario's game, and laying cards on it."""

from pathlib import Path

from companion.objects.decks import Deck, DeckStore
from companion.objects.designs import DeckDesign
from companion.plugins.demo import PLAIN, Felt
from companion.plugins.registry import installed_games
from hardware.demo.card_table import CardTable, empty_table
from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter
from hardware.harness.rig import RigError
from hardware.harness.scenario import Scenario
from hardware.harness.steps import Gather, Happen, Lay, Step, Take


def deck_design(scenario: Scenario) -> DeckDesign | None:
    """Return the kind of deck that a scenario is played with; None without cards."""
    return scenario.plugin.deck_for(scenario.header.options)


def new_deck(scenario: Scenario, data_dir: Path) -> Deck | None:
    """Make the deck of a scenario, and keep it in a table's data folder; None without cards."""
    design = deck_design(scenario)
    return None if design is None else DeckStore(data_dir, installed_games().decks).new(design.kind, "Harness")


def felt_for(scenario: Scenario, deck: Deck | None) -> Felt:
    """Return what is printed on the table of a scenario."""
    felt = scenario.plugin.felt
    return PLAIN if felt is None or deck is None else felt(deck.cards)


def painted_table(deck: Deck | None, felt: Felt, *, size: tuple[int, int], pace: float) -> CardTable:
    """Return a card table; without a deck nothing can be laid on it."""
    if deck is None:
        return empty_table(size)
    return CardTable(Faces(DeckPrinter(deck)), deck.cards, felt, size=size, pace=pace)


def begin_to_lay(demo: CardTable, step: Lay) -> None:
    """Have a step's cards dealt to their places by the hand, or put there at once; the next pictures show it."""
    for card in step.lay:
        (demo.put_down if step.at_once else demo.deal)(card, make=step.make)


def begin_to_move(demo: CardTable, step: Step) -> None:
    """Have the hand take cards away, sweep all of them off, or reach over the table.

    Raises:
        RigError: that does not happen on a card table.
    """
    if isinstance(step, Happen):
        raise RigError("Only cards move on this rig's table. Run the scenario on the mock rig.")
    if isinstance(step, Take):
        for card in step.take:
            demo.remove(card)
    elif isinstance(step, Gather):
        demo.gather()
    else:
        demo.wave_hand()
