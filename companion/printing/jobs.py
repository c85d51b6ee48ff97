"""From an order ("the deck, as PDF, on A4") to files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never

from companion.kernel.messages import message
from companion.objects.decks import Deck
from companion.objects.geometry import CardSize
from companion.objects.mat import Mat
from companion.printing.cards.stickers import HOW_TO_STICK
from companion.printing.chips import chip_pieces
from companion.printing.dice.face import face_pieces
from companion.printing.dice.sheet import PICTURE_EDGE, dice_pdf
from companion.printing.files import prepare_folder, write_atomically
from companion.printing.mats.sheet import mat_piece, mat_tiles, whole_mat_pdf
from companion.printing.pieces import Piece, PrintError, back_piece, card_pieces, sticker_pieces, token_pieces
from companion.printing.raster import write_pngs
from companion.printing.sheets import Duplex, Job, make_pdf, page_count

What = Literal["deck", "tokens", "mat", "stickers", "dice", "chips", "slips"]
Show = Callable[[int, int], None]
"""Called with (done, total) as the work goes on."""


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody asked for. ``deck`` may be None for dice, chips and slips, and for a mat: then it shows the usual
    deck's prices.
    """

    what: What
    deck: Deck | None
    form: Literal["pdf", "png"] = "pdf"
    paper: Literal["a4", "letter", "full"] = "a4"
    size: CardSize = "poker"
    mat: Mat | None = None
    only: tuple[str, ...] = ()
    duplex: Duplex = "long"
    slips: tuple[Piece, ...] = ()
    style: str | None = None


def carry_out(order: Order, out: Path, show: Show = lambda done, total: None) -> tuple[Path, ...]:
    """Write the ordered files and return their paths; files of the same names are replaced.

    Args:
        out: a PDF file (in a folder, it is named after the order), or the folder for PNG files.

    Raises:
        PrintError: the order cannot be printed as it stands.
        CannotWrite: the place cannot be written to.
    """
    _check(order)
    if order.form == "png":
        pieces = _pieces(order)
        prepare_folder(out)
        return write_pngs(pieces, out, _counter(len(pieces), show))
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
    if order.what == "slips" and not order.slips:
        raise PrintError("No game with paper slips was named. Name one with --game.")
    whole = {"mat": "A mat has", "dice": "Dice have", "slips": "Slips have"}.get(order.what)
    if order.only and whole:
        raise PrintError(f"{whole} no single pieces. Leave --only out.")
    if order.what == "mat":
        _mat(order)


def _mat(order: Order) -> Mat:
    if order.mat is None:
        raise PrintError(message("No mat was named. Name one with --game."))
    return order.mat


def _prices(order: Order) -> str | None:
    """A mat shows the prices, and only the suits, of the deck that was named."""
    return None if order.deck is None else order.deck.kind


def _deck(order: Order) -> Deck:
    if order.deck is None:
        raise PrintError(message("No deck was named. Make one with `companion deck new`."))
    return order.deck


def _title(order: Order) -> str:
    if order.what in ("dice", "chips", "slips"):
        return order.what.title()
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
        case "slips":
            return tuple({piece.name: piece for piece in order.slips}.values())
    assert_never(order.what)


def _pdf(order: Order, show: Show) -> bytes:
    if order.what == "mat":
        mat = _mat(order)
        if order.paper == "full":
            return whole_mat_pdf(mat, _prices(order))
        return mat_tiles(mat, order.paper, _prices(order), show)
    assert order.paper != "full"
    if order.what == "dice":
        return dice_pdf(order.paper)
    job = _job(order)
    return make_pdf(job, order.paper, order.duplex, _counter(page_count(job, order.paper, order.duplex), show))


def _job(order: Order) -> Job:
    if order.what == "chips":
        return Job("Chips", chip_pieces(order.only), cut="round", gap=4.0)
    if order.what == "slips":
        return Job("Slips", order.slips)
    deck = _deck(order)
    title = f"{deck.id} · {deck.name}" if deck.name != f"Deck {deck.id}" else deck.name
    if order.what == "deck":
        return Job(title, card_pieces(deck, order.size, order.only, order.style), (back_piece(order.size),))
    if order.what == "stickers":
        labels = sticker_pieces(deck, order.only, order.style)
        return Job(f"{title} · stickers", labels, cut="labels", gap=3.0, note=HOW_TO_STICK)
    faces, backs = zip(*token_pieces(deck, order.only), strict=True)
    return Job(f"{title} · tokens", faces, backs, cut="round", gap=4.0)


def _counter(total: int, show: Show) -> Callable[[], None]:
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        show(done, total)

    return advance
