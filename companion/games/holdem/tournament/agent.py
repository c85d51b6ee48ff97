"""Demo agent for tournaments, with rebuys, breaks, chip races and eliminations.

Levels last a few hands here, so that a visitor sees the blinds rise; the table's own clock keeps running.
"""

from typing import Final

from companion.games.holdem.demo.agent import HoldemAgent
from companion.games.holdem.demo.players import decide, worth
from companion.games.holdem.state import Phase, Player, State
from companion.games.holdem.tournament.rules import of
from companion.games.holdem.tournament.tour import Race
from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.plugins.panel import Moment

HANDS_A_LEVEL: Final = 4
SHORT: Final = 10
"""Stack in big blinds at or below which a player goes all-in or folds."""
_PUSH: Final = 0.5
_REBUYS: Final = 0.75
"""Probability that an eliminated player rebuys."""
_BREAK_S: Final = 12.0
_RACE_S: Final = 4.0


class TournamentAgent(HoldemAgent):
    """Plays a tournament automatically, or step by step (see `HoldemAgent`)."""

    _level_since: tuple[int, int] = (-1, 0)
    "Index of the current level, and the hand count when it began."
    _gone: frozenset[str] = frozenset()
    "Eliminated players who will not rebuy."

    def _between(self, moment: Moment) -> None:
        state: State = moment.state
        tour, simulated = of(state), self._simulated(moment)
        if state.phase is Phase.OVER:
            self._text = message("The tournament is over.")
        elif not simulated or not self._auto:
            super()._between(moment)
        elif state.phase is Phase.BREAK:
            self._text = message("A break: people stretch their legs.")
            if self._waited_s() > _BREAK_S:
                self._try({"do": "next-level"})
        elif tour.race is not None:
            self._race(tour.race)
        elif self._waited_s() > self._timing.asked_s and self._who_is_out(moment, simulated):
            self._since = self._clock()
        else:
            super()._between(moment)

    def _race(self, race: Race) -> None:
        """Decide the chip race at random, in place of dealt cards."""
        self._text = message("The odd chips are raced for.")
        if self._waited_s() > _RACE_S:
            names = [name for name, _ in race.odd]
            self._try({"do": "chip-race", "winners": self._rng.sample(names, race.chips)})

    def _who_is_out(self, moment: Moment, simulated: tuple[str, ...]) -> bool:
        """Let an eliminated player rebuy, or close the rebuys; return whether a command was sent."""
        tour = of(moment.state)
        if not tour.has_rebuys:
            return False
        for name in simulated:
            if name in self._gone or name in tour.alive:
                continue
            if self._rng.random() < _REBUYS:
                self._try({"do": "rebuy", "player": name})
                return True
            self._gone |= {name}
        if len(tour.alive) == 1:
            self._try({"do": "close-rebuys"})
            return True
        return False

    def _ready_to_post(self, moment: Moment) -> bool:
        """Keep the clock running, and start the next level after `HANDS_A_LEVEL` hands."""
        state: State = moment.state
        tour = of(state)
        if not tour.runs:
            self._try({"do": "start-clock"})
        if self._level_since[0] != tour.at:
            self._level_since = tour.at, state.hand
        if self._auto and tour.following is not None and state.hand - self._level_since[1] >= HANDS_A_LEVEL:
            self._try({"do": "next-level"})
            return False
        return True

    def _betting_command(self, state: State, player: Player) -> Record:
        """Push or fold with a short stack, depending on the hand."""
        held = self._held(player)
        if len(held) < 2 or player.coins + player.stake > SHORT * state.blinds[1]:
            return decide(state, held, self._rng)
        may_push = "all-in" in self._service.moment().expected
        if may_push and worth(held, state.board) + self._rng.uniform(-0.12, 0.12) > _PUSH:
            return {"do": "all-in", "player": player.name}
        return {"do": "fold" if state.bet > player.stake else "check", "player": player.name}
