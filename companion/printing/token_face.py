"""The 40 mm disks: a suit's emblem and tag on the face, the signed code on the back."""

from __future__ import annotations

from companion.cards import TAG_OF
from companion.codes import Code
from companion.geometry import TOKEN_MM, TOKEN_QR_MM, TOKEN_TAG_MM, Box
from companion.printing.marks import draw_qr, draw_tag
from companion.printing.pen import Pen, circle

_C = TOKEN_MM / 2


def draw_token_face(pen: Pen, token: str) -> None:
    """Draw a token's face in a 40 mm square."""
    pen.fill(circle(_C, _C, _C), "#FFFFFF")
    half = TOKEN_TAG_MM / 2
    draw_tag(pen, TAG_OF[token], Box(_C - half, _C - half, TOKEN_TAG_MM, TOKEN_TAG_MM), quiet=2.0)


def draw_token_back(pen: Pen, code: Code) -> None:
    """Draw a token's back in a 40 mm square."""
    half = TOKEN_QR_MM / 2
    draw_qr(pen, code, Box(_C - half, _C - half, TOKEN_QR_MM, TOKEN_QR_MM), quiet=2.2)
