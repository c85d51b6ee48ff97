"""OpenAPI operations outside ``/api/v1``: pages for people, and endpoints for monitors and browsers."""

from collections.abc import Mapping
from typing import Final

from web_ui.openapi.operations import ANY_JSON, FORM, PAGE, File, Operation


def _page(
    path: str,
    name: str,
    summary: str,
    mimetype: str = PAGE.mimetype,
    refusals: tuple[int, ...] = (),
    leads_on: bool = False,
) -> Operation:
    """Return the operation of a page.

    Args:
        leads_on: whether it may redirect, such as to setting a PIN where there is none.
    """
    return Operation(path=path, name=name, summary=summary, answer=File(mimetype), refusals=refusals,
                     instead={302: None} if leads_on else {}, is_page=True)  # fmt: skip


def _form(
    path: str, name: str, summary: str, instead: Mapping[int, File | None] | None = None, refusals: tuple[int, ...] = ()
) -> Operation:
    """Return the operation of a form post: redirects on success, or shows the form again with the error."""
    return Operation(verb="post", path=path, name=name, summary=summary, says="Done: on to the next page.", answer=None,
                     status=302, body=FORM, instead=instead or {}, refusals=(*refusals, 409, 507),
                     is_page=True)  # fmt: skip


def _asked(path: str, name: str, summary: str, verb: str = "get") -> Operation:
    """Return the operation of a request that the dealer's page makes to its own server."""
    return Operation(verb=verb, path=path, name=name, summary=summary, answer=ANY_JSON,
                     body=ANY_JSON if verb == "post" else None, refusals=(404, 409),
                     by=("browser",), is_page=True)  # fmt: skip


def _told(path: str, name: str, summary: str) -> Operation:
    """Return the operation by which a seat's phone changes its push subscription."""
    return Operation(verb="post", path=path, name=name, summary=summary, answer=ANY_JSON, body=ANY_JSON,
                     refusals=(400, 401, 404, 415), by=("browser",), is_page=True)  # fmt: skip


PAGES: Final = (
    _page("/", "showTable", "The table for the room"),
    _page("/odds", "showOdds", "Chance, price and edge of every bet"),
    _page("/history", "showHistory", "What was played"),
    _page("/history/log", "showLog", "The journal in words"),
    _page("/history/recall", "showRecall", "The last rounds, with all that decided them"),
    _page("/evenings/{day}", "showEvening", "An evening's result", refusals=(404,)),
    _page("/evenings/{day}.png", "getEveningPicture", "The result as a picture", "image/png", refusals=(404,)),
    _page("/watch", "showAudience", "The table for an audience, late if the house wants it", refusals=(503,)),
    _page("/overlay", "showOverlay", "The table over a video, without a background", refusals=(503,)),
    _page("/players", "showLeague", "The league of a season", refusals=(400,)),
    _page("/players/{player}", "showPlayer", "A player over evenings", refusals=(400, 404)),
    _page(
        "/dealer/standing",
        "showStanding",
        "What the house has won of each bet, beside what it could expect",
        refusals=(404,),
        leads_on=True,
    ),
    _page("/trust", "showTrust", "How a phone comes to trust the table's certificate"),
    _page(
        "/table-companion.crt",
        "getCertificate",
        "The authority's certificate",
        "application/x-x509-ca-cert",
        refusals=(404,),
    ),
    _page(
        "/table-companion.mobileconfig",
        "getProfile",
        "The same for iPhones and iPads",
        "application/x-apple-aspen-config",
        refusals=(404,),
    ),
    _page("/verify", "showVerify", "A page that checks receipts without this table"),
    _page("/history/session/{session}", "showSession", "A session's summary", refusals=(404,)),
    _page("/history/{session}/{number}", "showHand", "A hand, step by step", refusals=(404,)),
    _page("/history/{session}/{number}/receipt", "showReceipt", "A round's receipt", refusals=(404,)),
    _page(
        "/history/{session}/{number}/receipt.json",
        "getSignedReceipt",
        "What decided a round, signed",
        "application/json",
        refusals=(404,),
    ),
    _page("/dealer", "showDealer", "The dealer's console, or its log-in", leads_on=True),
    _form("/dealer/login", "logIn", "Log in with the PIN"),
    _form("/dealer/logout", "logOut", "Log out; JSON is answered by JSON", instead={200: ANY_JSON}),
    _page("/dealer/browsers", "showBrowsers", "The browsers that are logged in", leads_on=True),
    _form("/dealer/browsers/end", "endSession", "Log a browser out, or all others"),
    _page(
        "/dealer/house",
        "showHouse",
        "Backups, restarts and the state of the installation",
        refusals=(404,),
        leads_on=True,
    ),
    _page("/dealer/house/update", "showUpdate", "How the program is updated, and what came of it", refusals=(404,)),
    _page("/dealer/house/update/mark", "getRelease", "Which release runs", "text/plain", refusals=(401, 403, 404)),
    Operation(
        verb="post",
        path="/dealer/house/restart",
        name="restartTable",
        summary="Close the table and start it again",
        answer=PAGE,
        body=FORM,
        refusals=(404, 409),
        is_page=True,
    ),
    _form("/dealer/house/{what}", "keepHouse", "Begin a backup, a restore or a restart"),
    _page("/dealer/camera.jpg", "showCamera", "What the camera sees", "image/jpeg", refusals=(401, 404)),
    _asked("/dealer/reasons", "getReasons", "Chances and pictures behind the payouts"),
    _asked("/dealer/seats/{seat}", "getSeatCode", "The code for the seat's next phone"),
    _asked("/dealer/seats/{seat}/new-code", "newSeatCode", "A fresh code for a seat", "post"),
    _form("/dealer/take-over", "takeOver", "Take the demo's deal and its first seat", refusals=(404,)),
    _asked("/dealer/demo", "getDemo", "The demo table"),
    _asked("/dealer/demo", "postDemo", "Tell the demo table what to do", "post"),
    _page("/seat/{seat}", "showSeat", "A player's phone, or its joining"),
    _form("/seat/{seat}/join", "joinSeat", "Sit down with the seat's code"),
    _told("/seat/{seat}/push", "subscribe", "Tell this phone what concerns its player"),
    _told("/seat/{seat}/push/end", "unsubscribe", "Tell this phone no more"),
    _form("/seat/{seat}/leave", "leaveSeat", "Leave the phone; JSON is answered by JSON", instead={200: ANY_JSON}),
    _page("/setup", "showSetup", "The set-up wizard, or the choice of the first PIN"),
    _form("/setup/code", "showCode", "Show the set-up code on the table's own screen, or to the first browser near"),
    _form("/setup", "choosePin", "Choose or change the PIN"),
    _page("/setup/pin", "showPin", "The form to change the PIN"),
    _page("/setup/check", "showCheck", "Check that a printed deck is complete", leads_on=True),
    _page("/setup/dice", "showDice", "Teach the table the house's dice", leads_on=True),
    _page("/setup/axis", "showAxis", "Tell how the camera looks at a die's tray", leads_on=True),
    _page("/setup/deck", "showOwnDeck", "Teach the table a house's own ordinary deck", leads_on=True),
    _page("/setup/print", "showSheets", "Everything that can be printed", leads_on=True),
    _page(
        "/setup/print/{what}.pdf",
        "printSheet",
        "Sheets to print, with the query of `/api/v1/setup/sheets/{what}.pdf`",
        "application/pdf",
        refusals=(400, 401, 404, 409),
        leads_on=True,
    ),
    _page("/healthz", "getHealth", "The process is alive", "application/json"),
    _page("/readyz", "getReadiness", "The table answers", "application/json", refusals=(503,)),
    _page("/metrics", "getMetrics", "Numbers for Prometheus", "text/plain"),
    _page("/manifest.webmanifest", "getManifest", "The app's manifest", "application/manifest+json"),
    _page("/art/{card}.svg", "getPicture", "The picture on a printed card", "image/svg+xml", refusals=(404,)),
    _page("/sw.js", "getWorker", "The app's worker", "text/javascript"),
    _page("/offline", "showOffline", "What is shown without a network"),
    _page("/static/{digest}/{name}", "getStatic", "A static file", "application/octet-stream", refusals=(404,)),
)
