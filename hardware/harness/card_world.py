"""The rigs' rendered card table: deck and felt of a scenario's game, and the movements of its steps."""

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
    """Return the design of a scenario's deck; None without cards."""
    return scenario.plugin.deck_for(scenario.header.options)


def new_deck(scenario: Scenario, data_dir: Path) -> Deck | None:
    """Create the deck of a scenario in a table's data folder; None without cards."""
    design = deck_design(scenario)
    return None if design is None else DeckStore(data_dir, installed_games().decks).new(design.kind, "Harness")


def felt_for(scenario: Scenario, deck: Deck | None) -> Felt:
    """Return the print on the felt for a scenario."""
    felt = scenario.plugin.felt
    return PLAIN if felt is None or deck is None else felt(deck.cards)


def render_table(deck: Deck | None, felt: Felt, *, size: tuple[int, int], pace: float) -> CardTable:
    """Return a card table; without a deck, no cards can be laid on it."""
    if deck is None:
        return empty_table(size)
    return CardTable(Faces(DeckPrinter(deck)), deck.cards, felt, size=size, pace=pace)


def start_laying(demo: CardTable, step: Lay) -> None:
    """Start dealing a step's cards to their places with the hand, or put them there without it."""
    for card in step.lay:
        (demo.put_down if step.at_once else demo.deal)(card, make=step.make)


def start_movement(demo: CardTable, step: Step) -> None:
    """Start taking cards away, sweeping all of them off, or reaching over the table.

    Raises:
        RigError: the step is an event of a game's own demo table.
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
