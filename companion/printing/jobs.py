"""Print orders ("the deck, as PDF, on A4"), and their execution into files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, assert_never

from companion.kernel.messages import Message, message
from companion.objects.decks import Deck
from companion.objects.geometry import CardSize
from companion.objects.mat import Mat
from companion.printing.cards.stickers import HOW_TO_STICK
from companion.printing.chips import chip_pieces
from companion.printing.coins import GAP_MM as COIN_GAP_MM
from companion.printing.coins import coin_pieces
from companion.printing.dice.face import face_pieces
from companion.printing.dice.sheet import PICTURE_EDGE, dice_pdf
from companion.printing.files import prepare_folder, write_atomically
from companion.printing.fonts import BOLD, can_write
from companion.printing.mats.sheet import mat_piece, mat_tiles, whole_mat_pdf
from companion.printing.offset import offset_pages
from companion.printing.pieces import Piece, PrintError, back_piece, card_pieces, sticker_pieces, token_pieces
from companion.printing.raster import write_pngs
from companion.printing.sheets import Duplex, Job, Paper, make_pdf, page_count, whole_pages

What = Literal["deck", "tokens", "mat", "stickers", "dice", "chips", "coins", "slips", "rules", "seats", "test"]
WITHOUT_DECK: Final = frozenset({"mat", "dice", "chips", "coins", "slips", "rules", "seats", "test"})
MAX_COPIES: Final = 20
MAX_OFFSET_MM: Final = 6
_TITLES: Final[Mapping[What, Message]] = {
    "dice": message("Dice"), "chips": message("Chips"), "coins": message("Paper chips"), "slips": message("Slips"),
    "rules": message("Rules"), "seats": message("Seats"), "test": message("Test page"),
}  # fmt: skip
_WHOLE: Final[Mapping[What, str]] = {
    "mat": "A mat has", "dice": "Dice have", "slips": "Slips have", "rules": "A card of rules has",
    "seats": "Seat cards have", "test": "A test page has",
}  # fmt: skip
_MISSING: Final[Mapping[What, str]] = {
    "slips": "No game with paper slips was named. Name one with --game.",
    "rules": "No game was named. Name one with --game.",
    "seats": "No seat was named. Name one with --only.",
}
Show = Callable[[int, int], None]
"""Called with (done, total) as the work goes on."""


@dataclass(frozen=True, slots=True)
class Order:
    """A print order.

    Attributes:
        deck: may be None for sheets in `WITHOUT_DECK`; a mat then shows the default deck's prices.
        pieces: for slips, rules and seats, created by the caller.
        title: the header of these pages; by default the kind of sheet.
        coins: the values of paper chips.
        copies: number of copies of each piece.
        offset: shift of the printer's back sides, as measured with the test page: mm to the right and down.
        say: translates a message into the language of the sheet.
    """

    what: What
    deck: Deck | None
    form: Literal["pdf", "png"] = "pdf"
    paper: Literal["a4", "letter", "a3", "full"] = "a4"
    size: CardSize = "poker"
    mat: Mat | None = None
    only: tuple[str, ...] = ()
    duplex: Duplex = "long"
    pieces: tuple[Piece, ...] = ()
    title: str = ""
    style: str | None = None
    coins: tuple[int, ...] = (1, 5, 10)
    copies: int = 1
    offset: tuple[float, float] = (0.0, 0.0)
    say: Callable[[Message], str] = str


def carry_out(order: Order, out: Path, show: Show = lambda done, total: None) -> tuple[Path, ...]:
    """Write the ordered files and return their paths; files of the same names are replaced.

    Args:
        out: a PDF file (in a folder, it is named after the order), or the folder for PNG files.

    Raises:
        PrintError: the order is invalid.
        CannotWrite: the output cannot be written.
    """
    _check(order)
    if order.form == "png":
        pieces = _pieces(order)
        prepare_folder(out)
        return write_pngs(pieces, out, _counter(len(pieces), show), order.say)
    path = out / f"{_title(order).lower().replace(' ', '-')}.pdf" if out.is_dir() else out
    prepare_folder(path.parent)
    write_atomically(path, _pdf(order, show))
    return (path,)


def _check(order: Order) -> None:
    if order.paper == "full" and order.what != "mat":
        raise PrintError("Only a mat prints on one full sheet. Use --paper a4 or --paper letter.")
    if order.size != "poker" and order.what != "deck":
        raise PrintError(f"There is no {order.size} size of {order.what}. Leave --size out.")
    if order.style is not None and order.what not in ("deck", "stickers"):
        raise PrintError(f"Only decks and stickers have styles, not {order.what}. Leave --style out.")
    if order.only and order.what in _WHOLE:
        raise PrintError(f"{_WHOLE[order.what]} no single pieces. Leave --only out.")
    if order.what in _MISSING and not order.pieces:
        raise PrintError(_MISSING[order.what])
    _check_numbers(order)
    if order.what == "mat":
        _mat(order)


def _check_numbers(order: Order) -> None:
    if not 1 <= order.copies <= MAX_COPIES:
        raise PrintError.saying(
            "Print 1 to {most} copies of a piece, not {copies}.", most=MAX_COPIES, copies=order.copies
        )
    if order.copies > 1 and order.what in ("mat", "dice", "test"):
        raise PrintError(f"{_WHOLE[order.what]} no copies. Leave --copies out, and print the file again.")
    if max(map(abs, order.offset)) > MAX_OFFSET_MM:
        raise PrintError.saying("An offset is at most {most} mm to each side. Check the test page.", most=MAX_OFFSET_MM)


def _mat(order: Order) -> Mat:
    if order.mat is None:
        raise PrintError.saying("No mat was named. Name one with --game.")
    return order.mat


def _prices(order: Order) -> str | None:
    """Return the kind of deck whose prices and suits a mat shows; None for the default."""
    return None if order.deck is None else order.deck.kind


def _deck(order: Order) -> Deck:
    if order.deck is None:
        raise PrintError.saying("No deck was named. Make one with `companion deck new`.")
    return order.deck


def _title(order: Order) -> str:
    if order.what in _TITLES:
        return _TITLES[order.what]
    return f"Mat {_mat(order).name}" if order.what == "mat" else f"{order.what.title()} {_deck(order).id}"


def _pieces(order: Order) -> tuple[Piece, ...]:
    match order.what:
        case "deck":
            return (*card_pieces(_deck(order), order.size, order.only, order.style), back_piece(order.size))
        case "tokens":
            return tuple(piece for pair in token_pieces(_deck(order), order.only) for piece in pair)
        case "stickers":
            return sticker_pieces(_deck(order), order.only, order.style)
        case "mat":
            return (mat_piece(_mat(order), _prices(order)),)
        case "dice":
            return face_pieces(PICTURE_EDGE)
        case "chips":
            return tuple({piece.name: piece for piece in chip_pieces(order.only)}.values())
        case "coins":
            return tuple({piece.name: piece for piece in coin_pieces(order.coins, order.only)}.values())
        case "slips" | "rules" | "seats":
            return tuple({piece.name: piece for piece in order.pieces}.values())
        case "test":
            return offset_pages(_paper(order), order.duplex, order.offset, order.say)
    assert_never(order.what)


def _pdf(order: Order, show: Show) -> bytes:
    if order.what == "mat":
        mat = _mat(order)
        if order.paper == "full":
            return whole_mat_pdf(mat, _prices(order), order.say)
        return mat_tiles(mat, order.paper, _prices(order), show, order.say)
    paper = _paper(order)
    if order.what == "dice":
        return dice_pdf(paper, order.say)
    if order.what == "test":
        return whole_pages(order.say(_TITLES["test"]), _pieces(order), order.duplex)
    job = _copied(replace(_job(order), offset=order.offset, say=order.say), order.copies)
    return make_pdf(job, paper, order.duplex, _counter(page_count(job, paper, order.duplex), show))


def _paper(order: Order) -> Paper:
    assert order.paper != "full"  # checked before
    return order.paper


def _copied(job: Job, copies: int) -> Job:
    """Return a job with consecutive copies of each piece."""
    backs = job.backs if len(job.backs) <= 1 else tuple(back for back in job.backs for _ in range(copies))
    return replace(job, faces=tuple(face for face in job.faces for _ in range(copies)), backs=backs)


def _job(order: Order) -> Job:
    if order.what == "chips":
        return Job(order.say(_TITLES["chips"]), chip_pieces(order.only), cut="round", gap=4.0)
    if order.what == "coins":
        coins = coin_pieces(order.coins, order.only)
        return Job(order.say(_TITLES["coins"]), coins, coins, cut="round", gap=COIN_GAP_MM)
    if order.what in ("slips", "rules", "seats"):
        return Job(order.title or order.say(_TITLES[order.what]), order.pieces)
    deck = _deck(order)
    title = f"{deck.id} · {deck.name}"
    if deck.name == f"Deck {deck.id}":  # an unnamed deck
        title = order.say(message("Deck {deck}", deck=deck.id))
    elif not can_write(deck.name, BOLD):  # replacement characters would make decks look the same
        title = deck.id
    if order.what == "deck":
        return Job(title, card_pieces(deck, order.size, order.only, order.style), (back_piece(order.size),))
    if order.what == "stickers":
        labels = sticker_pieces(deck, order.only, order.style)
        head, note = order.say(message("{deck} · stickers", deck=title)), order.say(HOW_TO_STICK)
        return Job(head, labels, cut="labels", gap=3.0, note=note)
    faces, backs = zip(*token_pieces(deck, order.only), strict=True)
    return Job(order.say(message("{deck} · tokens", deck=title)), faces, backs, cut="round", gap=4.0)


def _counter(total: int, show: Show) -> Callable[[], None]:
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        show(done, total)

    return advance
