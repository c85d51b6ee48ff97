"""Back end of the dealer's "Change game": the available games, the change itself, and the night's plan."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companion.app.game_offers import Changed, GameOfferJson, GameOffers, PlanRow
from companion.app.setup.service import Refused, TableSetup, clear_demo, set_by_floor
from companion.config.edit import Changes
from companion.config.file import ConfigError, planned_keys
from companion.config.setup_keys import AT_ONCE, GameForm, game_forms
from companion.config.tables import Config, NightConfig
from companion.journal.session_transfer import without_antes
from companion.journal.sessions import check_decided, check_seats, undecided_words
from companion.kernel.errors import CompanionError, NothingDone
from companion.kernel.game import Seat
from companion.kernel.header import Header
from companion.kernel.ledger import Ledger
from companion.kernel.messages import Words, message
from companion.odds.exposure import closed_spots
from companion.plugins.demo import DemoControl

log = logging.getLogger("companion.run")

MAX_PLANNED: Final = 20


@dataclass(frozen=True, slots=True)
class GameChanger:
    """Changes the game on the table and edits the night's plan. Thread-safe.

    Args:
        table_setup: the set-up page's back end.
        demo: returns the control of the running demo, or None.
        on_plan: called with the configuration after the plan was saved.
    """

    table_setup: TableSetup
    demo: Callable[[], DemoControl | None] = lambda: None
    on_plan: Callable[[Config], None] = lambda config: None

    # ---- available games

    def offers(self) -> GameOffers:
        """Return the games, each with its settings and, if unavailable, the reason."""
        service, values = self.table_setup.service, self.table_setup.settings()["values"]
        games: list[GameOfferJson] = [
            {
                "id": form["id"],
                "title": form["title"],
                "fields": form["fields"],
                "values": {
                    **{field["key"]: values.get(field["key"]) for field in form["fields"]},
                    **{key: one.keys[key] for key, one in self.table_setup.prices.set_for(form["id"]).items()},
                },
                "refused": self._why_not(form["id"]),
                "buy_in": self._buy_in(form["id"]),
                "floor": list(self.table_setup.prices.set_for(form["id"])),
            }
            for form in self._forms()
        ]
        back = self._back()
        return {
            "session": service.session,
            "game": service.header.game,
            "refused": self._undecided(),
            "takes_back": self._takes_back(),
            "back": back.game if back is not None else None,
            "games": games,
            "plan": self.plan(),
        }

    def _forms(self) -> list[GameForm]:
        """Return the games with their settings, except those that apply to the table rather than a game."""
        forms = game_forms(self.table_setup.service.games)
        return [
            {**form, "fields": [field for field in form["fields"] if field["key"] not in AT_ONCE]} for form in forms
        ]

    def _undecided(self) -> Words | None:
        now = self.table_setup.service.situation
        if self.demo() is not None:
            return None  # the round under way gets undone
        try:
            check_decided(now.rules, now.state, self._ledger(), now.hold)
        except CompanionError as error:
            return error.message
        return None

    def _takes_back(self) -> Words | None:
        """Return what a demo table takes back before another game, which may be bets of people with phones."""
        now = self.table_setup.service.situation
        undecided = undecided_words(now.rules, now.state, self._ledger()) if self.demo() is not None else ""
        words = message("The demo table takes back what is not decided, before the game changes: {undecided}.",
                        undecided=undecided)  # fmt: skip
        return words if undecided else None

    def _ledger(self) -> Ledger:
        ledger = self.table_setup.service.situation.ledger
        return ledger if self.table_setup.service.view("room")["undo"] else without_antes(ledger)

    def _why_not(self, game: str) -> Words | None:
        try:
            self._check_seats(self._header(game, {}))
        except CompanionError as error:
            return error.message
        return None

    def _check_seats(self, header: Header) -> None:
        service = self.table_setup.service
        seats = [Seat(player["seat"], player["name"]) for player in service.view("room")["players"]]
        check_seats(header, seats, service.situation.ledger)

    def _check_bets(self, header: Header) -> None:
        """Check that a banked game's limits allow at least one bet.

        Raises:
            Refused: on every spot the minimum bet exceeds what the bank can cover.
        """
        plugin = self.table_setup.service.games[header.game]
        state = plugin.house_state(plugin.rules.start((), header.options))
        if state is None or not state.offers or len(closed_spots(state)) < len(state.offers):
            return
        least = min(state.offers, key=lambda offer: offer.best.winnings(offer.least(state.rules.limits.minimum)))
        coins = least.least(state.rules.limits.minimum)
        raise Refused.saying(
            "Nothing could be bet: the least bet, {coins}, could win {win}, and the limits do not allow that. "
            "Raise the bank or the maximum payout, or lower the minimum bet.",
            coins=coins,
            win=least.best.winnings(coins),
        )

    def _buy_in(self, game: str) -> int | None:
        try:
            header = self._header(game, {})
        except CompanionError:
            return None
        return header.usual_buy_in if header.rules.has_own_coins else None

    def _back(self) -> Header | None:
        """Return the previous game's header if nothing was played since the change, else None."""
        service = self.table_setup.service
        evening, view = service.evening, service.view("room")
        if len(evening) < 2 or view["undo"] is not None or evening[-1].session != view["session"]:
            return None
        before = evening[-2]
        if before.game == evening[-1].game or before.game not in service.games:
            return None
        try:
            return self.table_setup.prices.renewed(Header(service.games.rules(before.game), (), before.options))
        except CompanionError:
            return None

    def _header(self, game: str, changes: Changes) -> Header:
        """Return a game's configured header with some settings changed."""
        table_setup = self.table_setup
        form = next((form for form in self._forms() if form["id"] == game), None)
        if form is None:
            known = ", ".join(table_setup.service.games)
            raise Refused.saying(
                "There is no game {game} here. Choose one of {games}.", game=repr(game[:40]), games=known
            )
        strange = next((key for key in changes if key not in {field["key"] for field in form["fields"]}), None)
        if strange is not None:
            raise Refused.saying(
                "{key} cannot be set on this page. Edit {file} by hand.",
                key=repr(strange[:40]),
                file=table_setup.path.name,
            )
        fixed = next((key for key in changes if key in table_setup.prices.set_for(game)), None)
        if fixed is not None:
            raise Refused(set_by_floor(fixed, table_setup.prices.set_for(game)[fixed]))
        try:
            return table_setup.prices.header(game, changes)
        except ConfigError as error:
            raise Refused(error.without_place(changes)) from error

    # ---- the change

    def change(self, game: str, changes: Changes, *, session: int | None, source: str, key: str | None) -> Changed:
        """Change to another game, or to other settings of the same game.

        Args:
            changes: settings of the game by dotted key, for the new session only.
            session: the session that is expected to end.

        Raises:
            CompanionError: the change is refused; nothing has changed.
        """
        return self._do(self._header(game, changes), session, source, key)

    def change_back(self, *, session: int | None, source: str, key: str | None) -> Changed:
        """Change back to the previous game and its settings.

        Raises:
            CompanionError: refused, for example since something was played in between; nothing has changed.
        """
        back = self._back()
        if back is None:
            raise NothingDone.saying("Something was played since the change. Choose the game from the list.")
        return self._do(back, session, source, key)

    def change_as_planned(
        self, place: int, game: str | None = None, *, session: int | None, source: str, key: str | None
    ) -> Changed:
        """Change to a game of the night's plan, with its planned settings.

        Args:
            place: its index in the plan.
            game: the game that the caller saw at this place; refused if the plan has changed. None: any.

        Raises:
            CompanionError: the change is refused; nothing has changed.
        """
        table_setup = self.table_setup
        planned = table_setup.config().night
        if not 0 <= place < len(planned) or game not in (None, planned[place].game):
            raise Refused.saying("The plan has changed. Look at it again.")
        one = planned[place]
        keys = planned_keys(one, table_setup.service.games.named(one.game))
        return self._do(table_setup.prices.header(one.game, keys), session, source, key)

    def _do(self, header: Header, session: int | None, source: str, key: str | None) -> Changed:
        self._check_bets(header)
        service, demo = self.table_setup.service, self.demo()
        if demo is not None and (session is None or session == service.session):
            self._check_seats(header)
            clear_demo(service, demo, for_another=True)
        accepted = service.change_game(header, source=source, key=key, session=session)
        return {"session": service.session, "game": service.header.game, "seq": accepted.seq}

    # ---- the plan

    def plan(self) -> list[PlanRow]:
        """Return the night's plan."""
        return [_row(one.game, one.at, one.minutes) for one in self.table_setup.config().night]

    def save_plan(self, rows: Sequence[PlanRow]) -> list[PlanRow]:
        """Save the plan in the configuration. Games keep their planned settings (see `_kept`).

        Raises:
            CompanionError: the plan is invalid; nothing is written.
        """
        if len(rows) > MAX_PLANNED:
            raise Refused.saying("A plan has at most {most} games. Leave some out.", most=MAX_PLANNED)
        night = [
            {**{key: value for key, value in row.items() if value not in (None, "")},
             **({"options": options} if options else {})}
            for row, options in zip(rows, _kept(self.table_setup.config().night, rows), strict=True)
        ]  # fmt: skip
        self.on_plan(self.table_setup.save_unlisted({"night": night or None}))
        return self.plan()


def _kept(planned: Sequence[NightConfig], rows: Sequence[PlanRow]) -> list[Mapping[str, object]]:
    """Return the settings of each row of a new plan, taken over from the old plan.

    Unchanged rows are matched first; then a row with a new time takes the next unmatched old row of its game. A row
    beyond those gets the settings of the game's old rows if they are all alike, else none.
    """
    left, found = list(planned), dict[int, Mapping[str, object]]()
    for is_same in (_is_row, lambda one, row: one.game == row["game"]):
        for place, row in enumerate(rows):
            if place not in found and (one := next((one for one in left if is_same(one, row)), None)) is not None:
                left.remove(one)
                found[place] = one.options
    for place, row in enumerate(rows):
        others = [one.options for one in planned if one.game == row["game"]]
        found.setdefault(place, others[0] if others and all(one == others[0] for one in others) else {})
    return [found[place] for place in range(len(rows))]


def _is_row(one: NightConfig, row: PlanRow) -> bool:
    return _row(one.game, one.at, one.minutes) == {key: value for key, value in row.items() if value not in (None, "")}


def _row(game: str, at: str | None, minutes: int | None) -> PlanRow:
    return {"game": game, "at": at} if at is not None else {"game": game, "minutes": minutes}
