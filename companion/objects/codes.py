"""The signed code printed on every card and token: 16 characters in a Version 1 QR code, level Q.

The piece's id padded to 3 characters with ``-``, 4 characters of deck id, 9 characters of signature. The signature is a
keyed BLAKE2s over piece id and deck id, truncated to 45 bits, in base 32. The key never leaves the data directory, so
cards cannot be forged from other cards.
"""

import base64
import hmac
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2s
from typing import Final

SIGNATURE_CHARS: Final = 9
CODE_CHARS: Final = 16
_SHAPE: Final = re.compile(r"([0-9A-Z]{2}[0-9A-Z-])([0-9A-Z]{4})([0-9A-Z]{9})")


class CodeStatus(Enum):
    """The verification result of a code. Values are the contract's words."""

    OK = "ok"
    "A known card or token, signed with the key of a stored deck."
    FORGED = "forged"
    "The deck is known, but the signature is wrong or the card does not exist."
    FOREIGN = "foreign"
    "Well-formed, but of an unknown deck."


@dataclass(frozen=True, slots=True)
class Code:
    """A well-formed, unverified code, split into its parts."""

    id: str
    deck: str
    signature: str

    @property
    def text(self) -> str:
        return f"{self.id:-<3}{self.deck}{self.signature}"


def sign(piece: str, deck: str, key: bytes) -> str:
    """Return the signature of a card or token, 9 base-32 characters (45 bits)."""
    mac = blake2s(f"{piece:-<3}{deck}".encode(), key=key, digest_size=8).digest()
    return base64.b32encode(mac).decode()[:SIGNATURE_CHARS]


def make_code(piece: str, deck: str, key: bytes) -> Code:
    """Return the code to print on a piece.

    >>> make_code("T6", "K7QX", b"secret").text
    'T6-K7QXL4LB67NK7'
    """
    return Code(piece, deck, sign(piece, deck, key))


def parse_code(text: str) -> Code | None:
    """Return the parts of a well-formed code; None for any other text.

    >>> parse_code("6D3K7QXABCDEFGHI")
    Code(id='6D3', deck='K7QX', signature='ABCDEFGHI')
    >>> parse_code("https://example.org") is None
    True
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        return None
    piece, deck, signature = match.groups()
    return Code(piece.rstrip("-"), deck, signature)


def check_code(code: Code, keys: Mapping[str, bytes], pieces: Container[str]) -> CodeStatus:
    """Verify a code.

    Args:
        code: the code read from a card.
        keys: deck id -> key of the stored decks.
        pieces: ids of all existing cards and tokens.
    """
    key = keys.get(code.deck)
    if key is None:
        return CodeStatus.FOREIGN
    genuine = code.id in pieces and hmac.compare_digest(sign(code.id, code.deck, key), code.signature)
    return CodeStatus.OK if genuine else CodeStatus.FORGED
