"""Authorization: who sends a request, and what they may do. Everything that is not allowed here is refused.

The room may only look. A seat's phone may bet, take a number and end its turn, for its own player. The dealer may do
everything. Browsers send a cookie that names their sessions; programs send ``Authorization: Bearer <PIN>``.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from flask import Flask, Response, current_app, g, request, session
from flask.sessions import SecureCookieSessionInterface
from itsdangerous import BadSignature
from werkzeug.http import parse_cookie

from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.kernel.messages import Message, message
from companion.plugins.phone import Phone
from companion.service.table_service import TableService
from web_ui.access.lockout import Guesser
from web_ui.access.store import AccessError, AccessStore
from web_ui.problems import BadRequest
from web_ui.serving.framing import Head

KNOWN_COOKIE: Final = "companion-known"
"Marks a browser that has entered the right PIN. Grants no access; only exempts from the lockout by others' guesses."
KNOWN_FOR_S: Final = 365 * 24 * 3600

SEAT_VERBS: Final[Mapping[str, frozenset[str]]] = {
    "bet": frozenset({"player", "on", "amount"}),
    "take-back": frozenset({"player", "on"}),
    "take": frozenset({"player", "number", "units"}),
    "stake": frozenset({"units"}),
    "end": frozenset({"player"}),
    "fold": frozenset({"player"}),
    "pass": frozenset({"player"}),
}
"""Verb -> allowed fields of a seat's phone: none of these moves another player's coins."""

MAX_LETTERS: Final = 200
"""Maximum length of a text from a phone: about one line on a page."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Viewer:
    """A client's role: ``room``, ``dealer``, or ``seat/3`` with its player."""

    kind: str
    player: str | None = None

    @property
    def is_dealer(self) -> bool:
        return self.kind == "dealer"

    @property
    def is_seat(self) -> bool:
        return self.kind.startswith("seat/")


ROOM: Final = Viewer("room")
DEALER: Final = Viewer("dealer")


def access() -> AccessStore:
    """Return this dashboard's access store."""
    store: AccessStore = current_app.extensions["access"]
    return store


def service() -> TableService:
    """Return the table."""
    found: TableService = current_app.extensions["service"]
    return found


def address() -> str:
    """Return the client's address."""
    return request.remote_addr or "unknown"


def guesser() -> Guesser:
    """Return the guesser of this request, for the lockout."""
    mark = request.cookies.get(KNOWN_COOKIE)
    return Guesser(address(), mark if access().is_known_browser(mark) else None)


# ---- logging in and out


def log_in_dealer(pin: str) -> None:
    """Log this browser in as the dealer. Log-ins and counted guesses are journaled.

    Raises:
        AccessError: the PIN is wrong, or this guesser has to wait.
    """
    try:
        access().check_pin(pin, guesser())
    except AccessError as error:
        why = message("Dealer log-in refused at {address}: {why}", address=address(), why=error.message)
        _journal_guess(why, error, source="web")
        raise
    remember_dealer()
    note(message("Dealer logged in at {address}", address=address()), source="web")


def note(text: str, *, source: str, data: Mapping[str, object] | None = None, private: bool = True) -> None:
    """Journal a notice. Failures are only logged: a full disk must not prevent the log-in of somebody who can help."""
    try:
        service().notice(text, source=source, data=data, private=private)
    except TableError as error:
        _log.warning("Not journaled (%s): %s", error.message, text)


def _journal_guess(text: str, error: AccessError, *, source: str) -> None:
    """Journal a counted guess. Attempts during a lockout are not journaled, as they could fill the disk."""
    if error.is_guess:
        note(text, source=source)


def remember_dealer() -> None:
    """Start a dealer session in this browser, replacing its old one, and mark the browser as known."""
    log_out_dealer()
    _know()
    session.permanent = True
    session["dealer"] = access().begin_session("dealer", guesser(), agent=_agent())


def _know() -> None:
    """Mark this browser (or a program that keeps cookies) as known, which exempts it from others' lockouts."""
    g.known_browser = guesser().browser or secrets.token_urlsafe(18)
    access().know(Guesser(address(), g.known_browser))


def _agent() -> str:
    return request.headers.get("User-Agent", "")


def log_in_seat(seat: int, code: str) -> None:
    """Log this browser in as the phone of the seat's current player.

    Raises:
        AccessError: the code is wrong or already used, or the seat is empty.
    """
    player = player_in(seat)
    if player is None:
        raise AccessError.coded(
            "no-such-seat", "Nobody sits in seat {seat}. Ask the dealer to let you join first.", seat=seat
        )
    try:
        access().use_seat_code(seat, code, guesser())
    except AccessError as error:
        _journal_guess(
            message("Seat {seat} log-in refused at {address}: {why}", seat=seat, address=address(), why=error.message),
            error,
            source="web",
        )
        raise
    log_out_seat(seat)
    _begin_seat(seat, player, message("A phone joined seat {seat} ({player})", seat=seat, player=player))


def sit_down(seat: int) -> None:
    """Log the dealer's browser in as the phone of a seat, without a code, as the dealer could display it anyway."""
    player = player_in(seat)
    if player is None or is_seat(seat):
        return
    text = message("The dealer's browser plays seat {seat} ({player})", seat=seat, player=player)
    _begin_seat(seat, player, text)


def _begin_seat(seat: int, player: str, text: Message) -> None:
    session.permanent = True
    name = access().begin_session(f"seat/{seat}", guesser(), agent=_agent(), player=player)
    session["seats"] = {**_seats(), str(seat): name}
    note(text, source="web", data={"seat": seat, "joined": player}, private=False)


def free_seat() -> int | None:
    """Return the first occupied seat without a phone, or None."""
    joined = {one.kind for one in access().all_sessions().values()}
    seats = sorted(player["seat"] for player in service().view("room")["players"])
    return next((seat for seat in seats if f"seat/{seat}" not in joined), None)


def own_seat() -> int | None:
    """Return the first seat that this browser is the phone of, or None."""
    return next((int(seat) for seat in sorted(_seats(), key=int) if is_seat(int(seat))), None)


def log_out_dealer() -> None:
    """End this browser's dealer session, which also invalidates copies of its cookie."""
    if name := session.pop("dealer", None):
        access().end_session(str(name))


def log_out_seat(seat: int) -> None:
    """End this browser's session as the phone of this seat."""
    if name := _seats().get(str(seat)):
        access().end_session(name)
        session["seats"] = {key: other for key, other in _seats().items() if key != str(seat)}


def _seats() -> dict[str, str]:
    """Return seat -> session name from this browser's cookie."""
    found = session.get("seats")
    return dict(found) if isinstance(found, dict) else {}


def player_in(seat: int) -> str | None:
    """Return the seat's current player, or None."""
    return next((p["name"] for p in service().view("room")["players"] if p["seat"] == seat), None)


def register_known_browsers(app: Flask) -> None:
    """Set the cookie that marks known browsers."""

    @app.after_request
    def mark(response: Response) -> Response:
        if (browser := g.pop("known_browser", None)) is not None:
            response.set_cookie(KNOWN_COOKIE, browser, max_age=KNOWN_FOR_S, httponly=True, samesite="Lax",
                                secure=request.is_secure)  # fmt: skip
        return response


# ---- identity


def dealers_request(app: Flask, store: AccessStore) -> Callable[[Head, str], bool]:
    """Return a function that recognizes the dealer's requests by their headers, before they are queued."""
    signer = SecureCookieSessionInterface().get_signing_serializer(app)
    cookie = str(app.config["SESSION_COOKIE_NAME"])

    def is_dealers(head: Head, where: str) -> bool:
        cookies = parse_cookie((head.value(b"cookie") or b"").decode("latin-1"))
        kind, _, pin = (head.value(b"authorization") or b"").decode("latin-1").partition(" ")
        if kind.lower() == "bearer":
            return store.is_known_pin(pin.strip(), Guesser(where, cookies.get(KNOWN_COOKIE)))
        shown = cookies.get(cookie)
        if not shown or signer is None:
            return False
        try:
            named = signer.loads(shown)  # `store.session` checks the expiry
        except BadSignature:
            return False
        found = store.session(named.get("dealer")) if isinstance(named, dict) else None
        return found is not None and found.kind == "dealer"

    return is_dealers


def limited_by() -> str:
    """Return the rate limit key: a logged-in phone, else the address."""
    found = [name for name in _seats().values() if access().session(name) is not None]
    return f"phone/{found[0]}" if found else address()


def bearer() -> str | None:
    """Return the PIN in the Authorization header, or None."""
    kind, _, value = request.headers.get("Authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else None


def is_dealer() -> bool:
    """Whether the request comes from the dealer.

    Raises:
        AccessError: the PIN in the header is wrong, or its sender has to wait.
    """
    pin = bearer()
    if pin is None:
        found = access().session(session.get("dealer"))
        return found is not None and found.kind == "dealer"
    if access().has_pin and access().is_known_pin(pin, guesser()):
        return True
    try:
        access().check_pin(pin, guesser())
    except AccessError as error:
        _journal_guess(
            message("A program's PIN was refused at {address}: {why}", address=address(), why=error.message),
            error,
            source="api",
        )
        raise
    _know()
    return True


def is_seat(seat: int) -> bool:
    """Whether this browser is a phone of the seat's current player."""
    if bearer() is not None:
        return False
    found = access().session(_seats().get(str(seat)))
    return found is not None and found.kind == f"seat/{seat}" and found.player == player_in(seat)


def session_name(who: Viewer) -> str | None:
    """Return the secret name of this browser's session as that viewer; None for a program."""
    if bearer() is not None:
        return None
    return session.get("dealer") if who.is_dealer else _seats().get(who.kind.partition("/")[2])


def viewer() -> Viewer:
    """Return the request's viewer: the one in the query's ``as``, else the one with the most rights.

    Raises:
        AccessError: the request lacks the rights for ``as``.
        BadRequest: ``as`` is not a viewer.
    """
    asked = request.args.get("as")
    if asked is None:
        return _most()
    if asked == "room":
        return ROOM
    if asked == "dealer":
        return need_dealer()
    kind, _, number = asked.partition("/")
    if kind == "seat" and number.isascii() and number.isdigit() and len(number) < 5:
        return need_seat(int(number))
    raise BadRequest(f"{asked[:40]!r} is no viewer. Use room, dealer or seat/N.")


def _most() -> Viewer:
    if is_dealer():
        return DEALER
    seats = [int(seat) for seat in _seats() if is_seat(int(seat))] if bearer() is None else []
    return _seat(seats[0]) if len(seats) == 1 else ROOM


def _seat(seat: int) -> Viewer:
    return Viewer(f"seat/{seat}", player_in(seat))


def need_dealer() -> Viewer:
    """Return the dealer's viewer.

    Raises:
        AccessError: the request does not come from the dealer.
    """
    if not is_dealer():
        raise AccessError.coded("not-logged-in", "Only the dealer may do that. Log in with the PIN at /dealer.")
    return DEALER


def need_seat(seat: int) -> Viewer:
    """Return this seat's viewer.

    Raises:
        AccessError: the browser is not a phone of this seat.
    """
    if not is_seat(seat):
        raise AccessError.coded(
            "not-logged-in",
            "This is not a phone of seat {seat}. Scan the seat's code on the dealer's screen.",
            seat=seat,
        )
    return _seat(seat)


def allowed_command(record: Record, who: Viewer) -> Record:
    """Return a command if the viewer may give it; a seat's command gets its own player.

    Raises:
        AccessError: the viewer may not give it.
        BadRequest: a phone's text is too long or not printable.
    """
    if who.is_dealer:
        return record
    if not who.is_seat:
        raise AccessError.coded("not-logged-in", "Looking is free; to do something, log in as the dealer or sit down.")
    _check_texts(record)
    if (plugin := service().games.get(service().view("room")["game"])) is not None and plugin.phone is not None:
        return _by_phone(plugin.phone, record, who)
    verb = record.get("do")
    fields = SEAT_VERBS.get(verb) if isinstance(verb, str) else None
    if fields is None or not (fields | {"do"}).issuperset(record):
        raise AccessError.coded(
            "not-allowed", "A seat bets, takes back, takes a number, ends, folds or passes. Ask the dealer."
        )
    if verb == "stake":
        return _shooters_own(record, who)
    return _for_own(record, who)


def _check_texts(record: Record) -> None:
    """Check that texts from a phone can be displayed within sentences.

    A control character for the writing direction, for example, would also reverse the rest of the sentence, including
    numbers.

    Raises:
        BadRequest: a text is too long or not printable.
    """
    for name, value in record.items():
        if isinstance(value, str) and not (value.isprintable() and len(value) <= MAX_LETTERS):
            why = message(
                "{name} is one line of at most {most} letters that can be seen. Type it again.",
                name=repr(name[:40]),
                most=MAX_LETTERS,
            )
            raise BadRequest(why, code="bad-text")


def _by_phone(phone: Phone, record: Record, who: Viewer) -> Record:
    """Return a phone's command if the game's rules for phones allow it.

    Raises:
        AccessError: they do not.
    """
    verb, player = record.get("do"), str(who.player)
    fields = phone.own_commands.get(verb) if isinstance(verb, str) else None
    if fields is not None and (fields | {"do", "player"}).issuperset(record):
        return _for_own(record, who)
    if phone.is_allowed(record, player, service().view("room")):
        return record
    raise AccessError.coded("not-allowed", "This phone does only what its own player may do now. Ask the dealer.")


def _for_own(record: Record, who: Viewer) -> Record:
    if record.get("player", who.player) != who.player:
        raise AccessError.coded("not-your-seat", "This phone plays for {player} only.", player=str(who.player))
    return {**record, "player": who.player}


def _shooters_own(record: Record, who: Viewer) -> Record:
    """Check a ``stake``, which names no player: it is always the shooter's."""
    shooter = service().view("room").get("shooter")
    if shooter != who.player:
        name = str(shooter or message("Nobody"))
        raise AccessError.coded("not-your-seat", "{shooter} has the die. The shooter's own phone stakes.", shooter=name)
    return record
