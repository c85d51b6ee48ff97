"""A wager on which number breaks first: each number is one player's (or the bank's), and the breaker takes all.

Used by Street Rugen, its side bets, and Capital Rugen; they differ in what a number costs and who may take it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from companion.games.rugen.audit import Claim as AuditClaim
from companion.games.rugen.shapes import WagerJson
from companion.kernel.accounts import Account
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, message
from companion.kernel.shared.seating import PlayerStake
from companion.objects.dice import NUMBERS, breaks, number_of


@dataclass(frozen=True, slots=True)
class Claim:
    """A number, its holder (None: the bank) and the coins staked on it."""

    number: int
    player: str | None
    amount: int

    @property
    def purse(self) -> Account:
        """Account that paid the stake and gets the winnings."""
        return Account.purse(self.player)


Losses = tuple[tuple[str | None, int, int], ...]
"""Stakes that changed hands: (loser or None for the bank, coins, number)."""


@dataclass(frozen=True, slots=True)
class Wager:
    """Stakes on numbers, won by the first of them to break. ``name`` distinguishes its accounts."""

    name: str = "take"
    units: int = 0
    claims: tuple[Claim, ...] = ()
    "In order of claiming."
    decided: Claim | None = None
    "The winning claim."

    def claim(self, number: int) -> Claim | None:
        """Return the claim on a number, or None."""
        return next((claim for claim in self.claims if claim.number == number), None)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The claimed numbers, in order of claiming."""
        return tuple(claim.number for claim in self.claims)

    @property
    def free(self) -> tuple[int, ...]:
        """The unclaimed numbers."""
        return tuple(number for number in NUMBERS if self.claim(number) is None)

    def with_claims(self, claims: Iterable[Claim]) -> Wager:
        """Return the wager with further claims."""
        return replace(self, claims=(*self.claims, *claims))

    def winner_after(self, chain: Sequence[str]) -> Claim | None:
        """Return the claim won by the last throw of the chain; None if it decides nothing."""
        if self.decided is not None or not breaks(chain):
            return None
        return self.claim(number_of(chain[-1]))

    # ---- coins

    def _account(self, claim: Claim) -> Account:
        return Account.stake(claim.player, f"{self.name}/{claim.number}")

    def stakes_moved(self, claims: Iterable[Claim]) -> Iterator[Transfer]:
        """Yield the transfers of new claims' stakes."""
        for claim in claims:
            why = message("staked on {number}", number=claim.number)
            yield Transfer(claim.purse, self._account(claim), claim.amount, why)

    def returned(self) -> Iterator[Transfer]:
        """Yield the transfers that return all stakes."""
        for claim in self.claims:
            yield Transfer(self._account(claim), claim.purse, claim.amount, _returned(claim))

    def won_by(self, winner: Claim) -> Iterator[Transfer]:
        """Yield the transfers to the winner, their own stake first."""
        own_first = sorted(self.claims, key=lambda claim: claim is not winner)
        for claim in own_first:
            why = _returned(claim) if claim is winner else message("stake on {number} won", number=claim.number)
            yield Transfer(self._account(claim), winner.purse, claim.amount, why)

    def losses(self, winner: Claim) -> Losses:
        """Return the stakes that change hands if this claim wins."""
        losers = (claim for claim in self.claims if claim.player != winner.player)
        return tuple((claim.player, claim.amount, claim.number) for claim in losers)

    def stake_back(self, winner: Claim) -> int:
        """Return the winner's own stakes that are returned; 0 if the bank wins."""
        if winner.player is None:
            return 0
        return sum(claim.amount for claim in self.claims if claim.player == winner.player)

    # ---- conversions

    def for_audit(self) -> tuple[AuditClaim, ...]:
        """Return the claims in the audit's form."""
        return tuple((claim.number, claim.purse, claim.amount, self._account(claim)) for claim in self.claims)

    def to_json(self) -> WagerJson:
        """Return the JSON form for results and pages."""
        return {
            "units": self.units,
            "claims": [{"number": c.number, "player": c.player, "amount": c.amount} for c in self.claims],
            "winner": self.decided.player if self.decided else None,
            "number": self.decided.number if self.decided else None,
        }


def _returned(claim: Claim) -> Message:
    return message("stake on {number} returned", number=claim.number)


def player_stakes(wagers: Iterable[Wager]) -> tuple[PlayerStake, ...]:
    """Return the players' stakes in undecided wagers."""
    open_claims = (claim for wager in wagers if wager.decided is None for claim in wager.claims)
    return tuple(PlayerStake(claim.player, claim.amount) for claim in open_claims if claim.player is not None)
