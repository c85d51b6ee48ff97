"""The operations of ``/api/v1``."""

from collections.abc import Mapping
from typing import Final

from companion.app.floor.shapes import CardReadJson, DutyJson, PurseHeldJson, PursesJson
from companion.app.game_offers import Changed
from companion.app.setup.shapes import (
    CardShown,
    CheckLook,
    CheckState,
    DeckJson,
    EdgesJson,
    LookJson,
    MatFound,
    PanelState,
    SettingsJson,
    Setup,
)
from companion.service.snapshot import RoomView
from companion.service.snapshot_publisher import AdviceJson
from companion.tracking.deck_shapes import CardSeen, OwnDecksJson
from companion.tracking.dice.shapes import AxesJson, DieLooked, DieSeen, EnrollmentsJson
from web_ui.openapi import shapes
from web_ui.openapi.operations import File, Operation, Parameter, Shape

_BOTH: Final = ("pin", "browser")
_REFUSED: Final = (400, 401, 403, 409, 413, 415, 429, 503, 507)
_OF_FLOOR: Final = (*_REFUSED, 404)
"""Statuses of floor operations: 404 at a table that has joined no floor."""
_READ_ERRORS: Final = (401, 403, 404, 409)
_DOING: Final = (400, 401, 403, 404, 409, 413, 415, 429)

_AS: Final = Parameter("as", "Who is looking: room, dealer or seat/N.", {"type": "string", "default": "room"})
_KEY: Final = Parameter(
    "Idempotency-Key",
    "The same key gives the same answer, and the command is played once.",
    {"type": "string", "minLength": 1, "maxLength": 150},
    place="header",
)
_SESSION: Final = Parameter(
    "Table-Session",
    "The session that it is meant for: refused once another game is on.",
    {"type": "integer", "minimum": 1},
    place="header",
)
_AFTER: Final = Parameter(
    "Table-Seq",
    "Up to which entry of the journal (`seq` in the view) the table was seen: refused once another command counts; "
    "for a secret command what others seal does not.",
    {"type": "integer", "minimum": 0},
    place="header",
)
_RESULT: Final = Parameter(
    "result",
    "Only hands that ended so: open, decided, nobody, won, lost (the player's, if one is named), or the suit or number "
    "that decided.",
    {"type": "string", "pattern": "^(open|decided|nobody|won|lost|[1-7])$"},
)
_FILTERS: Final = (
    Parameter("game", "Only hands of this game."),
    Parameter("session", "Only hands of this session.", {"type": "integer", "minimum": 1}),
    Parameter("player", "Only hands during which this player sat at the table."),
    _RESULT,
)
_EVIDENCE: Final = Parameter("name", "The name in a step's command.")


def _whole(name: str, says: str, **schema: int) -> Parameter:
    return Parameter(name, says, {"type": "integer", **schema})


def _get(path: str, name: str, summary: str, says: str, answer: Shape | File, *of: Parameter,
         refusals: tuple[int, ...] = (400,), by: tuple[str, ...] = (), more: str = "") -> Operation:  # fmt: skip
    return Operation(path=path, name=name, summary=summary, says=says, answer=answer, of=of, refusals=refusals, by=by,
                     description=more)  # fmt: skip


def _post(path: str, name: str, summary: str, says: str, answer: Shape, body: Shape | None = None,
          example: Mapping[str, object] | None = None, *, of: tuple[Parameter, ...] = (),
          refusals: tuple[int, ...] = _DOING, status: int = 200) -> Operation:  # fmt: skip
    return Operation(verb="post", path=path, name=name, summary=summary, says=says, answer=answer, body=body,
                     example=example, of=of, refusals=refusals, status=status, by=_BOTH)  # fmt: skip


def _export(what: str, ending: str, mimetype: str) -> Operation:
    """Return the operation that exports everything of a kind as a file."""
    plural = what.partition(" ")[0]
    rows = {"type": "array", "items": {"type": "object"}} if ending == "json" else {"type": "string"}
    return _get(f"/{plural}.{ending}", f"get{plural.capitalize()}{ending.capitalize()}",
                f"All {what} as a file, the latest hand first", f"One row for each of the {what}.",
                File(mimetype, rows), *_FILTERS)  # fmt: skip


_SEASON: Final = Parameter("season", "A year or a quarter of it: 2026, 2026-Q2.",
                           {"type": "string", "pattern": "^([0-9]{4}(-Q[1-4])?)?$"})  # fmt: skip
_OF_SEASON: Final = {
    "league": "The league's table",
    "evenings": "What each player won on each evening",
    "bets": "Every decided bet against the house, with what its odds were worth",
    "bgstats": "Plays for BG Stats, one for each game of an evening",
}


def _of_season(what: str, ending: str) -> Operation:
    """Return the operation that exports a season's figures as a file."""
    rows = {"type": "array", "items": {"type": "object"}} if ending == "json" else {"type": "string"}
    mimetype = "application/json" if ending == "json" else "text/csv"
    return _get(f"/{what}.{ending}", f"get{what.capitalize()}{ending.capitalize()}", _OF_SEASON[what],
                "One row for each.", File(mimetype, rows), _SEASON)  # fmt: skip


def _file(mimetype: str) -> File:
    return File(mimetype, {"type": "string", "format": "binary"})


# fmt: off
API: Final = (
    _get("/state", "getState", "The table as the viewer may see it", "The whole view.", RoomView, _AS,
         refusals=(400, 401)),
    _get("/advice", "getAdvice", "What the decision that is due is worth, or a hint, in games that have it",
         "As much as the viewer may know.", AdviceJson, _AS, refusals=(400, 401)),
    _get("/events", "getEvents", "The journal behind an entry, oldest first",
         "Entries, and the `after` of the next page.", shapes.Events,
         _whole("after", "Number of the last entry you have.", minimum=0, default=0),
         _whole("limit", "At most so many.", minimum=1, maximum=500, default=100), _AS,
         refusals=(400, 401, 403, 429), more="Of private notices (log-ins) only the dealer sees what they say."),
    _get("/stream", "getStream", "The view at once and at each change, as server-sent events", "A stream.",
         File("text/event-stream", {}), _AS, refusals=(400, 401),
         more="Events: `view` (the whole view; its id is the version), `heartbeat` at once and every two seconds, with "
         "the table's own time, `goodbye` when the right to watch is over."),
    _get("/spectators", "getSpectatorStream", "The same for an audience, as late as the house wants it", "A stream.",
         File("text/event-stream", {}), refusals=(),
         more="The room's view, `[web] spectator_delay` seconds late; nothing comes until the table is on as long."),
    _post("/commands", "postCommand", "Do something: the very objects of a hand script", "Done, and durable.",
          shapes.Accepted, shapes.Command, {"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 5},
          of=(_AS, _KEY, _SESSION, _AFTER), refusals=_REFUSED),
    _post("/answers", "postAnswer", "Answer a question that the table asks the dealer",
          "Done; seq is null where the answer is no command.", shapes.Accepted, shapes.Answer,
          of=(_AS,), refusals=_REFUSED),
    _post("/intentions", "postIntention", "Say whether the next card is played or dealt, before the camera sees it",
          "Noted until the next card counts.", shapes.Intention, shapes.Intention,
          of=(_AS,), refusals=(400, 401, 403, 413, 415, 429)),
    _post("/payments", "postPayments", "Tick steps of the pay sheet, or take their ticks back",
          "Noted in the journal; every page shows it.", shapes.Accepted, shapes.Ticked,
          {"sheet": "17-3f2a91c0", "steps": ["pay >Aubrey"], "paid": True}, of=(_AS,), refusals=_REFUSED),

    # another game
    _get("/game", "getGames", "What can be played next, and the plan of the night", "Games, settings, plan.",
         shapes.Offers, refusals=_READ_ERRORS, by=_BOTH),
    _post("/game", "postGame", "Play another game with the same players and coins",
          "It is on, and durable: a new session of the same evening.", Changed, shapes.GameChange,
          {"game": "poker", "changes": {}}, of=(_KEY, _SESSION), refusals=_REFUSED),
    _post("/game/plan", "postPlan", "Write the plan of the night into the configuration", "The plan.", shapes.Plan,
          shapes.Plan, {"plan": [{"game": "poker", "at": "20:00"}, {"game": "poker", "minutes": 60}]}),

    # the house's purses
    _get("/purses", "getPurses", "The players' purses in the house, where this table has joined a floor",
         "Numbers and players.", PursesJson, refusals=_READ_ERRORS, by=_BOTH),
    _get("/purses/{number}", "getPurse", "What a purse holds, and what is on its way between it and this table",
         "The purse.", PurseHeldJson, Parameter("number", "The purse's number."), refusals=_READ_ERRORS, by=_BOTH),
    _post("/purses/cards", "postPlayerCard", "Ask the dealer whether to seat the player of a card",
          "A question waits for the dealer.", CardReadJson, shapes.PlayerCardCode, {"code": "AAAAA HABCD EFGHI"},
          refusals=_OF_FLOOR),
    _post("/purses", "postPurse", "Buy in from a purse, or cash out to it",
          "It is durable at the table; the house books it with the table's journal.", shapes.Accepted,
          shapes.PurseMove, {"do": "buy-in", "player": "Ann", "purse": 7, "coins": 50}, of=(_KEY,),
          refusals=_OF_FLOOR),

    _get("/duty", "getDuty", "Who is on duty, where this table has joined a floor", "The dealer, and who may sign on.",
         DutyJson, refusals=_READ_ERRORS, by=_BOTH),
    _post("/duty", "postDuty", "Sign a dealer on, in place of whoever is on duty, or off",
          "It is in the journal; the floor hears of it.", DutyJson, shapes.Sign, {"dealer": "Dan", "pin": "1234"},
          refusals=_OF_FLOOR),

    # hands, receipts and evidence
    _get("/hands", "getHands", "Hands, rounds, cuts and chains, the latest first",
         "A page, and where the next one begins.", shapes.Hands,
         Parameter("before", "The `next` of the page before: go on behind it.",
                   {"type": "string", "pattern": "^\\d+-\\d+$"}),
         _whole("limit", "At most so many.", minimum=1, maximum=100, default=20), *_FILTERS),
    _get("/hands/{id}", "getHand", "One hand, step by step, with its receipt", "The hand.", shapes.HandInSteps,
         Parameter("id", "Session and number, like 1-17."), refusals=(400, 404)),
    _export("hands", "csv", "text/csv"),
    _export("hands", "json", "application/json"),
    _export("transfers of coins", "csv", "text/csv"),
    _export("transfers of coins", "json", "application/json"),
    *(_of_season(what, kind) for what in ("league", "evenings", "bets") for kind in ("csv", "json")),
    _of_season("bgstats", "json"),
    _get("/glossary", "getGlossary", "The games' words in plain English", "Words in alphabetical order.",
         shapes.Glossary, Parameter("game", "Only the words of this game.")),
    _get("/evidence/{name}", "getEvidence", "What the camera read, and how sure it was", "What was read.",
         shapes.Evidence, _EVIDENCE, refusals=(404,)),
    _get("/evidence/{name}.jpg", "getEvidencePicture", "The picture of what the camera read", "The picture.",
         File("image/jpeg"), _EVIDENCE, refusals=(404,)),

    # setup
    _get("/setup", "getSetup", "How far the house is set up", "Settings, decks, cameras, panel.", Setup,
         refusals=_READ_ERRORS, by=_BOTH),
    _post("/setup/settings", "postSettings", "Write settings into the configuration file",
          "Written, whole; `waiting` names what counts after a new start.", SettingsJson, shapes.Changes,
          {"changes": {"table.layout": "grand", "table.min": 5}}),
    _post("/setup/edges", "postEdges", "What the house keeps under these rules, and under each other choice",
          "Shares of a coin, exact to a float.", EdgesJson, shapes.EdgesAsked,
          {"game": "poker", "options": {"deck": "red"}}),
    _post("/setup/limits", "postLimits", "The limits that would hold with these settings; nothing is saved",
          "Coins, null for none; `from_bank` names those that are the bank's share, `closed` the spots that take no "
          "bet.", shapes.LimitsWorded, shapes.MaybeChanges, {"changes": {"table.bank": 5000}}),
    _post("/setup/decks", "postDeck", "Make a deck", "The deck, without its key.", DeckJson, shapes.NewDeck),
    _get("/setup/sheets/{what}.pdf", "getSheet", "Sheets to print", "The sheets.", _file("application/pdf"),
         Parameter("what", "deck, tokens, mat, stickers, dice, chips, coins, slips, rules, seats or test."),
         Parameter("deck", "The deck's id."),
         Parameter("paper", "a4, letter or a3; full for a mat on one sheet.", {"type": "string", "default": "a4"}),
         Parameter("game", "Whose mat, rules or slips; the usual game's without it."),
         Parameter("size", "Of cards; of slips, in games that have several."),
         Parameter("only", "Some pieces alone: LDR,T6; of chips C7; of seats 1,2."),
         _whole("copies", "So many of each piece.", minimum=1, maximum=20, default=1),
         Parameter("duplex", "The edge that the sheet is turned on: long, short; none.",
                   {"type": "string", "default": "long"}),
         Parameter("right", "By how many mm backs are off to the right.", {"type": "number", "default": 0}),
         Parameter("down", "By how many mm backs are off downwards.", {"type": "number", "default": 0}),
         refusals=_READ_ERRORS, by=_BOTH),
    _post("/setup/camera", "postCamera", "Look through a camera", "A picture and its meters.", LookJson,
          shapes.Source),
    _post("/setup/mat", "postMat", "Find the printed mat and store where it lies", "Pass or fail, with the fix.",
          MatFound, shapes.MatAsked),
    _post("/setup/panel", "postPanel", "Blink a line of the panel, hear its buttons; `test: false` ends it",
          "The panel.", PanelState, shapes.PanelAsked),
    _post("/setup/voice", "postVoice", "Say a sentence aloud", "Said.", shapes.Said, shapes.Language),
    _post("/setup/card", "postCard", "Wait for one card before the camera and say what is read of it; it is not played",
          "What was read.", CardShown),
    _get("/setup/check", "getCheck", "The printed decks, and those that are being checked", "How far it has come.",
         CheckState, refusals=_READ_ERRORS, by=_BOTH),
    _post("/setup/check", "postCheck", "Begin to check that printed decks are complete", "It begins.", CheckState,
          shapes.DecksToCheck, {"decks": ["K7QX"]}),
    _post("/setup/check/look", "postCheckLook", "Count the cards that lie before the camera now; none is played",
          "What was seen so far.", CheckLook),
    _post("/setup/check/end", "postCheckEnd", "Stop checking", "It has ended.", CheckState),
    _post("/setup/done", "postDone", "Verify a step, or skip it; `finish` writes the settings into the file",
          "All steps that were verified or skipped, each passed, skipped or not good.", shapes.Done, shapes.SetupStep,
          {"step": "camera"}),
    _post("/setup/restart", "postRestart", "Start anew with the settings as they are", "It will.", shapes.Status,
          status=202),
    _get("/setup/bug-report.zip", "getBugReport", "What happened, without names and secrets", "A zip.",
         _file("application/zip"), refusals=_READ_ERRORS, by=_BOTH),

    # die enrollment
    _get("/enroll", "getEnrollment", "The house's dice, and how far an enrollment is", "Dice and enrollment.",
         EnrollmentsJson, refusals=(401, 403, 404), by=_BOTH),
    _post("/enroll", "beginEnrollment", "Begin to teach a die; nothing counts as a throw meanwhile",
          "The enrollment. A die that is known (`die-known`) is taught anew only with `replace`.", EnrollmentsJson,
          shapes.NewDie, {"name": "house die", "kind": "d20"}),
    _post("/enroll/look", "lookAtDie",
          "Look at the die before the camera: would the picture do, and what does it seem to show?",
          "A picture, and what is made of it.", DieSeen),
    _post("/enroll/take", "takeFace", "Learn the face that is up from what lies before the camera now",
          "Learnt. Where the picture will not do (`bad-picture`) the message says why, and `picture` shows it.",
          EnrollmentsJson, shapes.Face, {"face": "17"}),
    _post("/enroll/undo", "undoFace", "Forget the picture taken last, or the last one of a face", "What is left.",
          EnrollmentsJson, shapes.MaybeFace, {"face": "17"}),
    _post("/enroll/cancel", "cancelEnrollment", "End the enrollment; the die stays as it was known", "Ended.",
          EnrollmentsJson),
    _post("/enroll/finish", "finishEnrollment", "Keep the die; the running table knows it from now on",
          "Kept; faces missing is a refusal.", EnrollmentsJson),
    _post("/enroll/forget", "forgetDie", "Forget a die", "Forgotten.", EnrollmentsJson, shapes.KnownDie,
          {"name": "house die"}),

    # camera angle to the dice tray
    _get("/setup/axis", "getAxis", "How the camera looks at a die's tray, and how far that is being told anew",
         "The axis.", AxesJson, refusals=(401, 403, 404), by=_BOTH),
    _post("/setup/axis", "beginAxis", "Begin to tell faces of a die; nothing counts as a throw meanwhile", "It begins.",
          AxesJson, shapes.KindOfDie, {"kind": "d20"}),
    _post("/setup/axis/look", "lookAtTray", "Look at the tray: can a face be told of what lies there?",
          "A picture, and what is made of it.", DieLooked),
    _post("/setup/axis/take", "tellFace", "Take in what lies in the tray now, with this face up",
          "Taken. Where the picture will not do (`bad-picture`) the message says why, and `picture` shows it.",
          AxesJson, shapes.Face, {"face": "17"}),
    _post("/setup/axis/undo", "untellFace", "Forget one of the pictures, else the one taken last", "What is left.",
          AxesJson, shapes.MaybeNumber, {"number": 2}),
    _post("/setup/axis/cancel", "cancelAxis", "Forget what was told; the configuration stays as it is", "Ended.",
          AxesJson),
    _post("/setup/axis/keep", "keepAxis", "Write the axis that was found into the configuration; it counts at once",
          "Written; where none is found that is a refusal.", AxesJson),
    _post("/setup/axis/straight", "setAxisStraight",
          "Write into the configuration that the camera stands straight above the tray", "Written; it counts at once.",
          AxesJson),
    _post("/setup/axis/clear", "clearAxis",
          "Take the axis out of the configuration: the calibrated mat says it, else the camera looks straight down",
          "Taken out; it counts at once.", AxesJson),
    _post("/setup/axis/view", "setAxisView",
          "Write the camera's horizontal angle of view, in whole degrees, into the configuration; null takes it out",
          "Written; it counts at once. `bad-view` is a refusal: no camera has that.", AxesJson, shapes.AngleOfView,
          {"view": 66}),

    # deck enrollment
    _get("/enroll/deck", "getDeckEnrollment", "The house's own decks, and how far an enrollment is",
         "Decks and enrollment; `unfinished` was broken off.", OwnDecksJson, refusals=(401, 403, 404), by=_BOTH),
    _post("/enroll/deck", "beginDeckEnrollment",
          "Begin to teach a deck, or go on with one that was broken off; no card counts meanwhile",
          "The enrollment. A deck that is known (`deck-known`) is taught anew only with `replace`.", OwnDecksJson,
          shapes.NewOwnDeck, {"name": "red deck"}),
    _post("/enroll/deck/look", "lookAtCard", "Look at the card before the camera: would the picture do?",
          "A picture, and what is made of it.", CardSeen),
    _post("/enroll/deck/take", "takeCard", "Learn a card from what lies before the camera now",
          "Learnt. Where the picture will not do (`bad-picture`) the message says why, and `picture` shows it.",
          OwnDecksJson, shapes.Card, {"card": "AS"}),
    _get("/enroll/deck/cards/{card}.jpg", "getEnrolledCard", "The picture that was taken of a card", "A small picture.",
         _file("image/jpeg"), Parameter("card", "Such as AS."), refusals=(401, 403, 404, 409), by=_BOTH),
    _post("/enroll/deck/undo", "undoCard", "Forget the card taken last, or one that is named", "What is left.",
          OwnDecksJson, shapes.MaybeCard, {"card": "AS"}),
    _post("/enroll/deck/pause", "pauseDeckEnrollment", "Break off; what was taken is kept", "The table plays on.",
          OwnDecksJson),
    _post("/enroll/deck/discard", "discardDeckEnrollment", "Throw away what was taken; known decks stay as they were",
          "Thrown away.", OwnDecksJson),
    _post("/enroll/deck/finish", "finishDeckEnrollment", "Keep the deck", "Kept; cards missing is a refusal.",
          OwnDecksJson),
    _post("/enroll/deck/forget", "forgetOwnDeck", "Forget a deck; one in play is a refusal", "Forgotten.",
          OwnDecksJson, shapes.KnownDie, {"name": "red deck"}),

    _get("/openapi.json", "getDescription", "This description", "", File("application/json"), refusals=()),
)
"""All operations; paths are relative to ``/api/v1``."""
# fmt: on
