"""``[die]``: which die Rugen is played with, and where its tray is in the picture."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Share = Annotated[float, Field(ge=0, le=1, strict=False)]


class DieConfig(BaseModel):
    """The die and its tray.

    Attributes:
        kind: ``auto`` takes a d20 as well as a Rugen die.
        zone: the tray, as shares of the picture: left, top, width, height. None: the whole picture.
        camera: a second camera that looks at the tray alone, named as the table's; None: the table's own.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    kind: Literal["auto", "d20", "rugen"] = "auto"
    zone: Annotated[tuple[Share, Share, Share, Share], Field(strict=False)] | None = None
    camera: str | None = None

    @property
    def kinds(self) -> tuple[Literal["d20", "rugen"], ...]:
        """The dice whose throws count."""
        return ("d20", "rugen") if self.kind == "auto" else (self.kind,)

    @model_validator(mode="after")
    def _check_zone(self) -> Self:
        if self.zone is not None:
            left, top, width, height = self.zone
            if width < 0.05 or height < 0.05 or left + width > 1.001 or top + height > 1.001:
                raise ValueError(
                    "zone is left, top, width, height as shares of the picture, such as [0.1, 0.1, 0.8, 0.8]"
                )
        return self
