"""Public view of a tournament, and the ``state`` object of the API."""

from collections.abc import Mapping

from companion.games.holdem import view as hand
from companion.games.holdem.shapes import HoldemView
from companion.games.holdem.state import Phase, State
from companion.games.holdem.tournament.levels import Level
from companion.games.holdem.tournament.shapes import ClockJson, LevelJson, PlaceJson, RaceJson, TourJson
from companion.games.holdem.tournament.tour import Tour, prize_list
from companion.kernel.messages import Message, message, plural


def facts(state: State) -> Mapping[str, object]:
    """Return the API's ``state`` object: the hand's, extended by the tournament."""
    tour = state.tour
    assert tour is not None, "this is a tournament"
    return {
        **hand.facts(state),
        "level": tour.level.number,
        "is_break": tour.level.is_break,
        "blinds": list(state.blinds),
        "ante": state.ante,
        "chip": state.min_chip,
        "rebuys_open": tour.has_rebuys,
        "pool": tour.pool,
        "out": [out.player for out in tour.out],
        "places": _places(tour),
    }


def view(state: State) -> HoldemView:
    """Return hold'em's part of the table view, with the tournament."""
    tour = state.tour
    assert tour is not None, "this is a tournament"
    shown = hand.view(state)
    return {**shown, "prompt": _prompt(state, tour, shown["prompt"]), "tournament": tour_json(state, tour)}


_PROMPTS: Mapping[Phase, Message] = {
    Phase.BREAK: message("A break: the next level ends it"),
    Phase.OVER: message("The tournament is over"),
}


def _prompt(state: State, tour: Tour, otherwise: str) -> str:
    """Return the dealer's next step."""
    if state.phase is not Phase.OVER and tour.race is not None:
        return plural(
            "Race for {n} chip of {chip}: deal each a card for every odd chip",
            "Race for {n} chips of {chip}: deal each a card for every odd chip",
            tour.race.chips,
            chip=tour.race.chip,
        )
    if state.phase is Phase.READY and tour.has_begun and len(tour.alive) == 1:
        return message("Let somebody come in again, or close the rebuys")
    return _PROMPTS.get(state.phase, otherwise)


def tour_json(state: State, tour: Tour) -> TourJson:
    """Return the public view of the tournament."""
    here = [seat.player for seat in state.seats]
    alive = tour.alive
    return {
        "clock": _clock(tour),
        "level": _level(tour.level),
        "following": _level(tour.following) if tour.following else None,
        "has_begun": tour.has_begun,
        "rebuys_open": tour.has_rebuys,
        "rebuy_until": tour.rebuy_until,
        "rebuys": tour.rebuys,
        "may_come_in": [name for name in here if name not in alive] if tour.has_rebuys else [],
        "big_blind_ante": tour.big_blind_ante,
        "may_add": list(tour.may_add),
        "stack": tour.stack,
        "add_on": tour.add_on,
        "entrants": len(tour.entrants),
        "left": len(alive),
        "pool": tour.pool,
        "average": tour.pool // max(len(alive), 1),
        "prizes": list(prize_list(tour)),
        "shares": list(tour.prizes),
        "out": [out.player for out in sorted(tour.out, key=lambda out: (-out.hand, -out.stack))],
        "race": _race(tour),
        "places": _places(tour),
    }


def _clock(tour: Tour) -> ClockJson:
    return {"seconds": 60 * tour.level.minutes, "used": tour.used, "runs": tour.runs, "since": tour.since}


def _level(level: Level) -> LevelJson:
    blinds = None if level.blinds is None else list(level.blinds)
    return {
        "level": level.number,
        "blinds": blinds,
        "ante": level.ante,
        "chip": level.chip,
        "minutes": level.minutes,
    }


def _race(tour: Tour) -> RaceJson | None:
    race = tour.race
    return None if race is None else {"chip": race.chip, "chips": race.chips, "odd": dict(race.odd)}


def _places(tour: Tour) -> list[PlaceJson]:
    return [{"place": one.place, "player": one.player, "coins": one.coins} for one in tour.places]
