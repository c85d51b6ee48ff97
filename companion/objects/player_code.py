"""The signed code on a player's card: 16 characters in the smallest QR code, distinguishable from a playing card's.

``$``, 6 characters for the card's number and 9 for the house's signature, both in base 32. Only the house's floor,
which holds the signing key, can verify it.
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

MAX_CARDS: Final = 1 << 30
_NUMBER_CHARS: Final = 6
_SIGNATURE_CHARS: Final = 9
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_SHAPE: Final = re.compile(r"\$[A-Z2-7]{15}")
_MISREAD: Final = str.maketrans("018", "OIB")
Mac = Callable[[bytes], str]
"""Returns the message authentication code of a text, in hexadecimal."""


@dataclass(frozen=True, slots=True)
class PlayerCode:
    """A well-formed, unverified code of a player's card."""

    number: int
    signature: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the parts of a code read by the camera; None for any other text.

        >>> PlayerCode.parse("$AAAAAHABCDEFGHI")
        PlayerCode(number=7, signature='ABCDEFGHI')
        >>> PlayerCode.parse("6D3K7QXABCDEFGHI") is None
        True
        """
        if not _SHAPE.fullmatch(text):
            return None
        number = 0
        for letter in text[1 : 1 + _NUMBER_CHARS]:
            number = 32 * number + _LETTERS.index(letter)
        return cls(number, text[1 + _NUMBER_CHARS :])

    @classmethod
    def typed(cls, text: str) -> Self | None:
        """Return the parts of a typed code: lower case, gaps and a missing ``$`` are accepted; None if malformed.

        >>> PlayerCode.typed("aaaaa habcd efgh1")
        PlayerCode(number=7, signature='ABCDEFGHI')
        """
        letters = re.sub(r"[\s$-]", "", text[:60]).upper().translate(_MISREAD)
        return cls.parse(f"${letters}")

    @classmethod
    def signed(cls, number: int, mac: Mac) -> Self:
        """Return the code of a card.

        Args:
            number: the card's number, 1 to `MAX_CARDS`.
            mac: the MAC function of the floor's key.
        """
        digest = bytes.fromhex(mac(f"companion player card {number}".encode()))
        return cls(number, base64.b32encode(digest[:10]).decode()[:_SIGNATURE_CHARS])

    @property
    def text(self) -> str:
        """The text in the QR code."""
        letters = [_LETTERS[self.number >> shift & 31] for shift in range(5 * (_NUMBER_CHARS - 1), -1, -5)]
        return f"${''.join(letters)}{self.signature}"

    @property
    def spaced(self) -> str:
        """The text printed for people to read and type.

        >>> PlayerCode(7, "ABCDEFGHI").spaced
        'AAAAA HABCD EFGHI'
        """
        letters = self.text[1:]
        return " ".join(letters[at : at + 5] for at in range(0, len(letters), 5))
