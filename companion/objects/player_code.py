"""The signed code on a player's card: 16 characters in the smallest QR code, like a playing card's, of another shape.

``$``, 6 characters of the card's number and 9 of the house's signature, all in base 32. Only the house's floor, whose
key signs, can say whether one is genuine.
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

MOST_CARDS: Final = 1 << 30
_NUMBER_CHARS: Final = 6
_SIGNATURE_CHARS: Final = 9
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_SHAPE: Final = re.compile(r"\$[A-Z2-7]{15}")
_MISREAD: Final = str.maketrans("018", "OIB")
Mac = Callable[[bytes], str]
"""Returns a code over a text, hexadecimal digits, that only the key's owner can make."""


@dataclass(frozen=True, slots=True)
class PlayerCode:
    """A well-formed code of a player's card; not verified."""

    number: int
    signature: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the parts of what the camera read; None for any other text.

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
        """Return the parts of what somebody typed: in small letters, with gaps, without the ``$``.

        >>> PlayerCode.typed("aaaaa habcd efgh1")
        PlayerCode(number=7, signature='ABCDEFGHI')
        """
        letters = re.sub(r"[\s$-]", "", text[:60]).upper().translate(_MISREAD)
        return cls.parse(f"${letters}")

    @classmethod
    def signed(cls, number: int, mac: Mac) -> Self:
        """Return the code of a card.

        Args:
            number: 1 up to `MOST_CARDS`.
            mac: of the floor's key.
        """
        digest = bytes.fromhex(mac(f"companion player card {number}".encode()))
        return cls(number, base64.b32encode(digest[:10]).decode()[:_SIGNATURE_CHARS])

    @property
    def text(self) -> str:
        """As the QR code has it."""
        letters = [_LETTERS[self.number >> shift & 31] for shift in range(5 * (_NUMBER_CHARS - 1), -1, -5)]
        return f"${''.join(letters)}{self.signature}"

    @property
    def spaced(self) -> str:
        """As people read and type it.

        >>> PlayerCode(7, "ABCDEFGHI").spaced
        'AAAAA HABCD EFGHI'
        """
        letters = self.text[1:]
        return " ".join(letters[at : at + 5] for at in range(0, len(letters), 5))
