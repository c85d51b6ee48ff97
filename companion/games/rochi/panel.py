"""Panel of Rochi and Captain's Rochi: verb of the next card, end of turn, fees, one light per stack."""

import abc
from collections.abc import Iterator, Mapping
from typing import Final

from companion.games.rochi.board import SUIT_OF, Stack, locked_suits
from companion.games.rochi.captains.state import Phase as CaptainsPhase
from companion.games.rochi.captains.state import State as CaptainsState
from companion.games.rochi.commands import VERB_WORDS
from companion.games.rochi.company import joining_fee, return_fee
from companion.games.rochi.state import Hand, Phase, State
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.words import SUITS, card_words
from companion.plugins.panel import (
    ButtonAction,
    DeclareCard,
    Do,
    DoOnceCounted,
    LightState,
    Menu,
    Moment,
    Offer,
    PanelPart,
    available_actions,
    join_and_leave_offers,
    join_offer,
    stay_or_leave_offers,
)
from companion.service.questions import Intention

_NEXT_CARD: Final[Mapping[Intention, Message]] = {
    "play": message("the next card is played"),
    "deal": message("the next card is dealt"),
}


class CardsPanel(PanelPart, abc.ABC):
    """Panel behaviour common to both games: cards are played and dealt in turns, one light per stack."""

    giving_up: str
    "Verb for giving up a turn without acting."

    @abc.abstractmethod
    def board(self, moment: Moment) -> Hand | CaptainsState:
        """Return the part of the state with the stacks and the turn's actions."""

    def in_turn(self, moment: Moment) -> dict[str, ButtonAction]:
        """PLAY and DEAL announce the next card; NEXT ends the turn, or FOLD gives it up."""
        return _card_buttons(moment) | self._ends(moment)

    def _ends(self, moment: Moment) -> dict[str, ButtonAction]:
        """NEXT after an action, otherwise FOLD; both name the player, so that they never apply to the next one.

        A card still undecided is counted first, as dealt if that is possible, otherwise as played.
        """
        end: Record = {"do": "end", "player": moment.turn}
        if moment.phase == Phase.TURNS.value and moment.waits_for:
            card_is: Intention = "deal" if "deal" in moment.expected else "play"
            return {"next": ButtonAction(message("end the turn"), DoOnceCounted(end, card_is))}
        if self.has_acted(moment):
            return available_actions(moment, {"next": (message("end the turn"), end)})
        give_up = VERB_WORDS[self.giving_up], {"do": self.giving_up, "player": moment.turn}
        return available_actions(moment, {"fold": give_up}, is_of_turn=True)

    def has_acted(self, moment: Moment) -> bool:
        """Whether a card was played or dealt in this turn."""
        board = self.board(moment)
        return board.has_played or board.has_dealt

    def menu(self, moment: Moment) -> Menu | None:
        return None

    def menu_buttons(self, moment: Moment) -> tuple[str, ...]:
        """NEXT at the start of a turn, PLAY between hands."""
        if moment.turn and self.has_acted(moment):
            return ()
        return ("next",) if moment.turn or moment.phase == Phase.SEEDING.value else ("play",)

    def lights(self, moment: Moment) -> Mapping[int, LightState]:
        return {stack.suit: _mood(stack) for stack in self.board(moment).stacks}

    def on_table(self, moment: Moment) -> int:
        return sum(len(stack.open_cards) for stack in self.board(moment).stacks)


def _card_buttons(moment: Moment) -> dict[str, ButtonAction]:
    return {
        verb: ButtonAction(label, DeclareCard(verb, moment.turn), is_chosen=moment.intention == verb)
        for verb, label in _NEXT_CARD.items()
        if verb in moment.expected
    }


def _mood(stack: Stack) -> LightState:
    if stack.is_cut:
        return "cut"
    if stack.is_locked:
        return "locked"
    if stack.is_ripe:
        return "ripe"
    return "free" if stack.owner is None else "owned"


class RochiPanel(CardsPanel):
    """See `companion.plugins.panel.PanelPart`."""

    giving_up = "fold"

    def board(self, moment: Moment) -> Hand:
        hand: Hand = moment.state.hand
        return hand

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        phase = moment.state.phase
        if phase is Phase.BETWEEN:
            following = message("next hand"), {"do": "next-hand"}
            return available_actions(
                moment, {"next": following, "fold": (message("call last hand"), {"do": "last-hand"})}
            )
        if phase is Phase.FINISHED:
            return available_actions(moment, {"next": (message("new game"), {"do": "new-game"})})
        return self.in_turn(moment)

    def rare(self, moment: Moment) -> Iterator[Offer]:
        if "discard" in moment.expected:
            yield from _swaps(moment)
        if "last-hand" in moment.expected and moment.state.phase is not Phase.BETWEEN:  # between hands FOLD does this
            yield message("call last hand"), {"do": "last-hand"}
        yield from _coming_and_going(moment)

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase in (Phase.SEEDING, Phase.TURNS, Phase.LAST_PLAYER)


def _swaps(moment: Moment) -> Iterator[Offer]:
    """Offer to swap each unseen card of a locked suit, one of which may be in the hand."""
    state: State = moment.state
    seen = {*state.hand.gone, *(card for stack in state.hand.stacks for card in stack.open_cards)}
    locked = locked_suits(state.hand.stacks)
    for card, suit in SUIT_OF[state.rules.deck].items():
        if suit in locked and card not in seen:
            yield message("swap {card}", card=card_words(card)), {"do": "discard", "player": moment.turn, "card": card}


def _coming_and_going(moment: Moment) -> Iterator[Offer]:
    """Offer joining, leaving, sitting out and returning, with fees into a pot of the player's choice."""
    state: State = moment.state
    for away in state.away:
        comes_back = message("{player} returns", player=away.player), {"do": "return", "player": away.player}
        yield from _with_fee(moment, comes_back, return_fee(state, away, moment.ledger))
    yield from _with_fee(moment, join_offer(moment), joining_fee(state, moment.ledger))
    for player in moment.players:
        sit_out: Record = {"do": "sit-out", "player": player.name}
        if moment.accepts(sit_out):
            yield message("{player} sits out", player=player.name), sit_out
        yield from stay_or_leave_offers(moment, player)


def _with_fee(moment: Moment, offer: Offer, fee: int) -> Iterator[Offer]:
    """Return one offer per pot for the fee; empty if the player cannot pay it."""
    label, record = offer
    pots = [(_into(suit, label, fee), {**record, "into": {str(suit): fee}}) for suit in _pots(moment)]
    return (offer for offer in (pots if fee else [offer]) if moment.accepts(offer[1]))


def _into(suit: int, label: str, fee: int) -> Message:
    return message("{label}, {fee} into {suit}", label=label, fee=fee, suit=SUITS[suit])


def _pots(moment: Moment) -> tuple[int, ...]:
    pots: tuple[int, ...] = moment.state.pots
    return pots


class CaptainsPanel(CardsPanel):
    """See `companion.plugins.panel.PanelPart`."""

    giving_up = "pass"

    def board(self, moment: Moment) -> CaptainsState:
        state: CaptainsState = moment.state
        return state

    def buttons(self, moment: Moment) -> Mapping[str, ButtonAction]:
        if "new-game" in moment.expected:
            return available_actions(moment, {"next": (message("new game"), {"do": "new-game"})})
        return self.in_turn(moment)

    def menu(self, moment: Moment) -> Menu | None:
        if "odd-coin" not in moment.expected:
            return None
        pots = tuple(
            (message("pot {suit}", suit=SUITS[suit]), Do({"do": "odd-coin", "pot": suit})) for suit in _pots(moment)
        )
        return Menu(f"odd-coin:{moment.rounds}", message("Odd coin into which pot?"), pots)

    def rare(self, moment: Moment) -> Iterator[Offer]:
        if "stop" in moment.expected:
            yield message("both stop, share the pots"), {"do": "stop"}
        if "drop" in moment.expected:
            yield from (
                (message("{player} drops out", player=name), {"do": "drop", "player": name})
                for name in moment.state.names
            )
        yield from join_and_leave_offers(moment)

    def is_under_way(self, moment: Moment) -> bool:
        return moment.state.phase in (CaptainsPhase.SEEDING, CaptainsPhase.TURNS, CaptainsPhase.ODD_COIN)
