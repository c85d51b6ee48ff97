"""Models of display controllers: the text shown for the bytes that the real drivers send."""

from collections.abc import Sequence

EN, RS = 0x04, 0x01


class Hd44780:
    """A character LCD behind a PCF8574 on the I²C bus: bytes in, two lines of characters out."""

    def __init__(self, port: int = 1) -> None:
        self.cells = [[" "] * 40, [" "] * 40]
        self.is_gone = False
        self._at = (0, 0)
        self._is_wide = True
        self._high: int | None = None
        self._before = 0

    @property
    def lines(self) -> tuple[str, str]:
        return "".join(self.cells[0][:16]), "".join(self.cells[1][:16])

    def write_byte(self, address: int, value: int) -> None:
        if self.is_gone:
            raise OSError(121, "Remote I/O error")
        fell, self._before = self._before & EN and not value & EN, value
        if fell:
            self._nibble(value >> 4, bool(value & RS))

    def close(self) -> None:
        """No bus to release."""

    def _nibble(self, nibble: int, is_letter: bool) -> None:
        if self._is_wide:  # before the setup switches to 4-bit mode, each nibble is a command
            self._is_wide = nibble != 2
        elif self._high is None:
            self._high = nibble
        else:
            value, self._high = self._high << 4 | nibble, None
            self._letter(value) if is_letter else self._command(value)

    def _letter(self, value: int) -> None:
        row, column = self._at
        self.cells[row][column] = chr(value)
        self._at = row, column + 1

    def _command(self, value: int) -> None:
        if value & 0x80:
            place = value & 0x7F
            self._at = (1, place - 0x40) if place >= 0x40 else (0, place)
        elif value == 0x01:
            self.cells = [[" "] * 40, [" "] * 40]
            self._at = (0, 0)
        elif value in (0x02, 0x03):
            self._at = (0, 0)


class Max7219:
    """A chain of 8 × 8 modules on the SPI bus: registers in, dots out."""

    def __init__(self, modules: int) -> None:
        self._modules = modules
        self.rows = [[0] * modules for _ in range(8)]

    def command(self, *bytes_: int) -> None:
        """Ignore setup commands, which show nothing."""

    def data(self, data: Sequence[int]) -> None:
        pairs = list(zip(data[::2], data[1::2], strict=True))
        for start in range(0, len(pairs), self._modules):
            for place, (register, value) in enumerate(pairs[start : start + self._modules]):
                if 1 <= register <= 8:
                    self.rows[register - 1][place] = value

    @property
    def dots(self) -> int:
        return sum(value.bit_count() for row in self.rows for value in row)

    def cleanup(self) -> None:
        """No bus to release."""
