"""The league over evenings: coins counted a second time from the journal's transfers, points, seasons, files."""

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from typing import Any
from urllib.parse import unquote

import evenings
import pytest
from evenings import Journal, in_effect

from companion.journal.hash_chain import Entry
from companion.kernel.errors import BadScript
from companion.statistics.bgstats import LINK, link_to, plays
from companion.statistics.files import evening_rows, league_rows
from companion.statistics.league import GameDay, Season, game_days, league, record_of, seasons_of
from companion.statistics.standings import Standings

BERLIN = timezone(timedelta(hours=1))


def a_long_journal(seed: int) -> list[Entry]:
    """Four evenings of different games with undos, each a day later and over midnight."""
    rng, whole = random.Random(seed), evenings.Evening()
    for number, game in enumerate(("roche", "rochi", "rugen-house", "rugen-street")):
        header, records = evenings.random_records(game, seed + number)
        whole.begin(header)
        evenings.play(whole, records, rng, undo=0.1)
    begun = datetime(2026, 5, 1, 20, tzinfo=UTC)
    moved: list[Entry] = []
    now, session = begun, 0
    for entry in whole.entries:
        if entry.session != session:
            session, now = entry.session, begun + timedelta(days=entry.session - 1)
        now += timedelta(seconds=rng.randint(1, 240))
        moved.append(entry._replace(at=now.isoformat(timespec="milliseconds").replace("+00:00", "Z")))
    return moved


@pytest.mark.parametrize("seed", range(4))
def test_every_coin_won_is_in_the_league_once(seed: int) -> None:
    """Counted again from the transfers as they are written, each to the day of its own clock."""
    entries = a_long_journal(seed)
    days = game_days(Standings(Journal(entries)).evenings(), BERLIN)
    counted: dict[date, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    decided: dict[date, int] = defaultdict(int)
    for session in sorted({entry.session for entry in entries}):
        for entry in in_effect([one for one in entries if one.session == session]):
            local = datetime.fromisoformat(entry.at).astimezone(BERLIN)
            day = local.date() if local.hour >= 6 else local.date() - timedelta(days=1)
            for event in json.loads(entry.events):
                decided[day] += event["event"] == "Decided"
                if event["event"] == "Transfer" and event.get("why") not in ("buy-in", "cash-out"):
                    for side, sign in (("payer", -1), ("payee", 1)):
                        kind, _, rest = event[side].partition("/")
                        if kind == "player":
                            counted[day][rest] += sign * event["coins"]
                        elif kind == "stake":
                            counted[day][rest.split("/")[0]] += sign * event["coins"]
                        elif kind == "house":
                            counted[day][""] += sign * event["coins"]
    assert {day.date for day in days} == {day for day, hands in decided.items() if hands}
    for day in days:
        assert day.hands == decided[day.date]
        assert day.house == counted[day.date].get("", 0)
        expected = {name: coins for name, coins in counted[day.date].items() if name and coins}
        assert {name: coins for name, coins in day.results.items() if coins} == expected
    for place in league(days):
        name = place.record.name
        assert place.record.won == sum(sums.get(name, 0) for day, sums in counted.items() if decided[day])


def antes_of_captains(rng: random.Random) -> tuple[evenings.Evening, dict[str, int]]:
    """Return two duels, each of which begins with a coin from either player in each of six pots, and who won what."""
    whole, won = evenings.Evening(), dict[str, int]()
    for _ in range(2):
        header, records = evenings.random_records("captains", rng.randrange(10**6))
        whole.begin(header)
        evenings.play(whole, records, rng)
        ledger = whole.table.position.ledger
        for name, brought in ledger.brought.items():
            won[name] = won.get(name, 0) + ledger.balance(name) - brought
    return whole, won


@pytest.mark.parametrize("seed", range(4))
def test_antes_of_a_start_are_lost_coins_too(seed: int) -> None:
    """Nobody bets them by a command, so they are in no entry."""
    whole, won = antes_of_captains(random.Random(seed))
    found = Standings(Journal(whole.entries)).evenings()
    results: dict[str, int] = defaultdict(int)
    for day in game_days(found):
        for name, coins in day.results.items():
            results[name] += coins
    assert results == won
    for evening, table in zip(found, whole.tables, strict=True):
        nets = {account.text: coins for account, coins in evening.nets.items()}
        pots = sum(table.result()["pots"].values())
        assert (nets["pots"], nets["recount"]) == (pots, 0), "nobody has counted anything anew"


def test_what_evenings_brought_is_what_the_summary_says() -> None:
    whole = Standings(Journal(a_long_journal(9))).evenings()
    for evening in whole:
        for name in evening.now:
            assert sum(hour.gains.get(name, 0) for hour in evening.hours) == evening.won(name)
        assert sum(hour.house for hour in evening.hours) == evening.house


def day(on: str, hands: int = 5, **results: int) -> GameDay:
    begun = f"{on}T20:00:00.000Z"
    ended = f"{on}T22:30:00.000Z"
    house = -sum(results.values())
    return GameDay(date.fromisoformat(on), ("g",), (1,), hands, begun, ended, results, house, {"g": results})


DAYS = (
    day("2025-12-31", Ann=10, Bo=-10),
    day("2026-01-02", Ann=-3, Bo=5, Cy=-2),
    day("2026-04-01", ann=4, Bo=4),
)


def test_points_count_whom_somebody_finished_ahead_of() -> None:
    table = league(DAYS)
    assert [(p.place, p.record.name, p.record.points, p.record.won) for p in table] == [
        (1, "Bo", Fraction(5, 2), -1),
        (2, "ann", Fraction(3, 2), 11),
        (3, "Cy", Fraction(1), -2),
    ]
    bo = table[0].record
    assert (bo.firsts, bo.best, bo.worst, bo.by_game) == (2, 5, -10, {"g": -1})


def test_names_that_nobody_can_tell_apart_are_one_player() -> None:
    (one,) = league([day("2026-01-01", **{"Ann Bo": 2}), day("2026-01-02", **{"ANN  Bo": 3})])
    assert one.record.won == 5


def test_players_who_are_level_share_a_place() -> None:
    assert [place.place for place in league([day("2026-01-01", Ann=2, Bo=2, Cy=-4)])] == [1, 1, 3]


def test_a_season_is_a_year_or_a_quarter() -> None:
    assert seasons_of(DAYS) == ("2026", "2026-Q2", "2026-Q1", "2025", "2025-Q4")
    assert [p.record.name for p in league(DAYS, Season.named("2025"))] == ["Ann", "Bo"]
    mine = record_of(DAYS, "ANN", Season.named("2026-Q1"))
    assert mine is not None
    assert mine.won == -3
    assert record_of(DAYS, "Cy", Season.named("2025-Q4")) is None
    for wrong in ("26", "2026-Q5", "2026-", "0000", "٢٠٢٦", "spring"):
        with pytest.raises(BadScript, match="2026-Q2"):
            Season.named(wrong)
    assert Season.named("9999").has(date(9999, 12, 30))


def test_bg_stats_takes_a_play() -> None:
    """The fields that its import reads; without winner and startPlayer its Android app refuses a player."""
    (play,) = plays(DAYS[1], {"g": "The Game"})
    assert play["playDate"] == "2026-01-02 20:00:00"
    assert play["durationMin"] == 150
    assert play["game"] == {"name": "The Game", "sourceGameId": "g", "highestWins": True, "noPoints": False}
    assert [(p["name"], p["score"], p["winner"], p["rank"]) for p in play["players"]] == [
        ("Bo", 5, True, 1), ("Cy", -2, False, 2), ("Ann", -3, False, 3),
    ]  # fmt: skip
    assert {"startPlayer", "sourcePlayerId"} <= set(play["players"][0])
    link = link_to(play)
    assert link.startswith(LINK)
    assert json.loads(unquote(link.removeprefix(LINK))) == play
    assert plays(day("2026-01-03", Ann=0, Bo=0), {}) == []


def test_tables_have_a_row_for_each() -> None:
    rows: Sequence[dict[str, Any]] = [dict(row) for row in evening_rows(DAYS[:1])]
    assert [(row["date"], row["player"], row["won"], row["points"]) for row in rows] == [
        ("2025-12-31", "Ann", 10, 1.0),
        ("2025-12-31", "Bo", -10, 0.0),
    ]
    assert [(row["place"], row["player"]) for row in league_rows(league(DAYS))] == [(1, "Bo"), (2, "ann"), (3, "Cy")]
