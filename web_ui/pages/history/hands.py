"""``/history``: hands and rounds with everybody's gains, a printable summary of an evening, and the journal."""

from collections.abc import Sequence
from typing import Final, TypeVar
from urllib.parse import urlencode

from flask import Blueprint, abort, current_app, render_template, request

from companion.journal.hash_chain import EntryJson, sentences
from companion.journal.history.filter import RESULTS, HandFilter
from companion.journal.history.hand_history import HandJson
from companion.kernel.errors import BadScript
from companion.service.settle import SettlePaymentJson, settle
from companion.statistics.standings import Evening, Standings
from web_ui.access.rights import is_dealer, service
from web_ui.charts import Line, line_chart
from web_ui.game_pages import game_title, round_title
from web_ui.history_prefetch import caught_up
from web_ui.languages import language
from web_ui.pages.history.parties import who
from web_ui.problems import BadRequest
from web_ui.strings import text

HANDS_A_PAGE: Final = 12
ENTRIES_A_PAGE: Final = 50
PATIENCE_S: Final = 0.3
"""How long a page waits for the journal to be read."""
MAX_POINTS: Final = 120
"""Most hands in a chart and its table; they include the first and the latest."""
MAX_HANDS: Final = 5000
"""Most hands in a printed summary."""
FILTERS: Final = ("game", "session", "player", "result")

blueprint = Blueprint("history", __name__)

T = TypeVar("T")


def evenings() -> tuple[Evening, ...]:
    """Return all evenings in this table's journal."""
    standings: Standings = current_app.extensions["standings"]
    return standings.evenings()


def reading() -> str | None:
    """Return a progress page if reading the journal takes longer than `PATIENCE_S`."""
    history, standings = service().history, current_app.extensions["standings"]
    if caught_up(history, standings, PATIENCE_S):
        return None
    return render_template("reading.html", read=min(history.seq, standings.seq), of=service().view("room")["seq"])


@blueprint.get("/history")
def show() -> str:
    waiting = reading()
    if waiting is not None:
        return waiting
    asked, before = _asked(), _before()
    found = service().history.hands(HANDS_A_PAGE + 1, before, asked)
    page, more = found[:HANDS_A_PAGE], len(found) > HANDS_A_PAGE
    all_evenings = evenings()
    wanted = asked.session or (all_evenings[-1].session if all_evenings else 0)
    return render_template(
        "history.html",
        hands=[_told(hand) for hand in page],
        older=_query(before=page[-1]["id"]) if more else None,
        newest=_query() if before else None,
        query=_query(),
        asked=asked,
        choices=_choices(all_evenings),
        evening=next((_shown(evening) for evening in all_evenings if wanted in evening.sessions), None),
        session=service().view("room")["session"],
        who=who,
    )


@blueprint.get("/history/session/<int:session>")
def summary(session: int) -> str:
    """A printable summary of an evening: everybody's buy-ins, cash-outs and gains, all hands, the journal's hash."""
    waiting = reading()
    if waiting is not None:
        return waiting
    evening = next((evening for evening in evenings() if session in evening.sessions), None) or abort(404)
    found = [hand for number in evening.sessions for hand in _hands_of(number)][-MAX_HANDS:]
    played = [_told(hand) for hand in found if hand["decided"] is not None]
    view = service().view("room")
    return render_template(
        "summary.html", evening=_shown(evening), hands=played, seq=view["seq"], head=view["head"], who=who
    )


def _hands_of(session: int) -> list[HandJson]:
    """Return a session's hands, oldest first."""
    return service().history.hands(MAX_HANDS, None, HandFilter(session=session))[::-1]


# ---- filters


def _asked() -> HandFilter:
    """Return the filters of the URL; empty ones match everything."""
    given = {name: request.args.get(name, "").strip()[:40] or None for name in FILTERS}
    session = given["session"]
    number = int(session) if session and session.isascii() and session.isdigit() and len(session) < 10 else None
    if session and number is None:
        abort(404)
    try:
        return HandFilter.checked(service().games, given["game"], number, given["player"], given["result"])
    except BadScript as error:
        raise BadRequest(error.message) from error


def _before() -> tuple[int, int] | None:
    session, _, number = request.args.get("before", "").partition("-")
    is_named = (session + number).isascii() and session.isdigit() and number.isdigit() and len(session + number) < 18
    return (int(session), int(number)) if is_named else None


def _query(**more: str) -> str:
    """Return the URL's filters, plus more, as a query string."""
    given = {name: request.args[name] for name in FILTERS if request.args.get(name)}
    return "?" + urlencode(given | more)


def _choices(all_evenings: tuple[Evening, ...]) -> dict[str, Sequence[str | int]]:
    """Return the options of the filters."""
    names = {name for evening in all_evenings for name in (*evening.bought, *evening.now)}
    games = dict.fromkeys(game for evening in all_evenings for game in evening.games)
    sessions = [session for evening in reversed(all_evenings) for session in reversed(evening.sessions)]
    return {"game": list(games), "session": sessions, "player": sorted(names), "result": RESULTS}


# ---- presentation


class ListedHand(HandJson):
    """A hand with its title and its deciding sentence."""

    said: str
    title: str
    base: str
    "Its URL."


def _told(hand: HandJson) -> ListedHand:
    title = round_title(hand["game"], hand["number"])
    return {**hand, "said": decision(hand), "title": title, "base": base_of(hand)}


def decision(hand: HandJson) -> str:
    """Return the sentence that ended a hand, else the latest event in it."""
    told: str = hand["told"] or (hand["sentences"][-1] if hand["sentences"] else "")
    return told


def base_of(hand: HandJson) -> str:
    """Return a hand's URL."""
    return f"/history/{hand['session']}/{hand['number']}"


def _shown(evening: Evening) -> dict[str, object]:
    """Return an evening with its charts."""
    names = [name for name in evening.now if evening.now[name] or evening.bought.get(name)]
    numbered = thinned(list(enumerate((evening.start, *evening.points))), MAX_POINTS)
    points = [point for _, point in numbered]
    players = [Line(name, i, tuple(p.coins.get(name) for p in points)) for i, name in enumerate(names, start=1)]
    has_house = any(point.house for point in evening.points) or evening.house != 0
    house = [Line(_text("house"), 7, tuple(p.house for p in points))]
    x = _text("chart_hands")
    return {
        "evening": evening,
        "title": _title(evening),
        "number": _numbers(evening),
        "names": names,
        "points": numbered,
        "has_house": has_house,
        "settle_up": _settle_up(evening),
        "coins_chart": line_chart(players, _text("chart_coins"), x, len(evening.points)),
        "house_chart": line_chart(house, _text("chart_house"), x, len(evening.points)) if has_house else "",
    }


def _settle_up(evening: Evening) -> list[SettlePaymentJson]:
    """Return who pays whom after an evening; empty where coins come from purses and return there."""
    has_purses = current_app.extensions["cashier"] is not None
    return [] if has_purses else [payment.to_json() for payment in settle(evening.nets)]


def _title(evening: Evening) -> str:
    """Return an evening's title: its sessions and games."""
    titles = ", ".join(dict.fromkeys(game_title(game) for game in evening.games))
    return text("evening_of", language(), n=_numbers(evening), game=titles)


def _numbers(evening: Evening) -> str:
    """Return an evening's session numbers: "3", or "3–5"."""
    first, last = evening.sessions[0], evening.sessions[-1]
    return str(first) if first == last else f"{first}–{last}"


def thinned(things: list[T], most: int) -> list[T]:
    """Return at most ``most`` items, evenly spaced, including the first and the last.

    >>> thinned([0, 1, 2, 3, 4, 5, 6], 4), thinned([1, 2], 4)
    ([0, 2, 4, 6], [1, 2])
    """
    if len(things) <= most:
        return things
    return [things[round(i * (len(things) - 1) / (most - 1))] for i in range(most)]


def _text(key: str) -> str:
    return text(key, language())


# ---- the journal


@blueprint.get("/history/log")
def log() -> str:
    """The journal as sentences, newest first; ``before`` paginates."""
    newest = service().view("room")["seq"]
    before = min(max(request.args.get("before", newest + 1, type=int), 1), newest + 1)
    first = max(before - 1 - ENTRIES_A_PAGE, 0)
    viewer = "dealer" if is_dealer() else "room"
    entries = [entry for entry in service().events(first, ENTRIES_A_PAGE, viewer) if entry["seq"] < before]
    lines = [_line(entry) for entry in reversed(entries) if sentences(entry)]
    older = first + 1 if first else None
    newer = min(before + ENTRIES_A_PAGE, newest + 1) if before <= newest else None
    return render_template("log.html", entries=lines, older=older, newer=newer)


def _line(entry: EntryJson) -> dict[str, object]:
    kind, _, seat = entry["source"].partition("/")
    source = _text_of(f"source_{kind}", seat) or kind
    return {"seq": entry["seq"], "at": entry["at"], "source": source, "said": sentences(entry)}


def _text_of(key: str, seat: str) -> str | None:
    try:
        return text(key, language(), seat=seat)
    except KeyError:
        return None  # a source of an older version
