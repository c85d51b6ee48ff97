"""Names of each game's commands on the undo button and in histories."""

from typing import Any, Final

import pytest

from companion.games.blackjack.rules import Blackjack
from companion.games.chinchirorin.rules import Chinchirorin
from companion.games.holdem.rules import Holdem
from companion.games.holdem.tournament.rules import HoldemTournament
from companion.games.king.rules import KingOfRoulette
from companion.games.roche.rules import Roche
from companion.games.rochi.captains.rules import Captains
from companion.games.rochi.rules import Rochi
from companion.games.roulette.rules import Roulette
from companion.games.rugen.house import RugenHouse
from companion.games.rugen.street import RugenStreet
from companion.kernel.commands import Record
from companion.kernel.game import BaseGame

SAID: Final[tuple[tuple[type[BaseGame], dict[str, Any], str], ...]] = (
    (Blackjack, {"do": "deal", "to": "Ann", "card": "TD"}, "Ten of Diamonds for Ann"),
    (Blackjack, {"do": "bet", "player": "Ann", "amount": 5}, "Ann's bet of 5"),
    (Blackjack, {"do": "join", "player": "Ann"}, "Ann sitting down"),
    (Chinchirorin, {"do": "throw", "dice": [6, 3, 6]}, "the throw of 6-3-6"),
    (Chinchirorin, {"do": "bet", "player": "Ann", "amount": 5}, "Ann's bet of 5"),
    (Holdem, {"do": "raise", "to": 150}, "the raise to 150"),
    (Holdem, {"do": "board", "cards": ["AS", "TD", "7H"]}, "the board cards A♠ 10♦ 7♥"),
    (Holdem, {"do": "recount", "pot": "side-1", "coins": 20}, "the recount of side pot 1 to 20"),
    (HoldemTournament, {"do": "rebuy", "player": "Ann"}, "Ann's rebuy"),
    (HoldemTournament, {"do": "call"}, "the call"),
    (KingOfRoulette, {"do": "bet", "player": "Ann", "space": 3}, "a secret choice"),
    (KingOfRoulette, {"do": "use-bonus", "player": "Bo"}, "a secret choice"),
    (KingOfRoulette, {"do": "guess", "range": "0-1"}, "a secret choice"),
    (Roche, {"do": "bet", "player": "Ann", "on": "cut/6", "amount": 5}, "Ann's bet of 5 on Kin to cut"),
    (Roche, {"do": "take-back", "player": "Ann", "on": "cut/6"}, "Ann taking back Kin to cut"),
    (Roche, {"do": "burn", "count": 1}, "burning 1 card"),
    (Roche, {"do": "deal", "card": "6D3"}, "the deal of Kin day 3"),
    (Roche, {"do": "no-more-bets"}, "no more bets"),
    (Rochi, {"do": "play", "card": "6D3"}, "the play of Kin day 3"),
    (Rochi, {"do": "sit-out", "player": "Ann"}, "Ann sitting out"),
    (Captains, {"do": "drop", "player": "Ann"}, "Ann dropping out"),
    (Roulette, {"do": "spin", "pocket": "17"}, "the spin: 17, black"),
    (Roulette, {"do": "bet", "player": "Ann", "on": "red", "amount": 5}, "Ann's bet of 5 on red"),
    (
        RugenStreet,
        {"do": "side-bet", "units": 2, "numbers": {"Ann": 1, "Bo": 4}},
        "the side bet of 2 units: Ann 1, Bo 4",
    ),
    (RugenHouse, {"do": "bet", "player": "Ann", "on": "day/4", "amount": 8}, "Ann's bet of 8 on 4 by day"),
    (RugenHouse, {"do": "throw", "d20": 14}, "the throw of 14"),
    (RugenHouse, {"do": "buy-in", "player": "Ann", "coins": 20}, "buy in"),
)


@pytest.mark.parametrize(("game", "record", "words"), SAID)
def test_a_command_is_said_in_a_few_words(game: type[BaseGame], record: Record, words: str) -> None:
    assert game().describe(record) == words
