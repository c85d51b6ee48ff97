"""Table options of blackjack."""

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from companion.games.blackjack.odds.bets import players_edge
from companion.games.blackjack.odds.edges import edges
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.blackjack.state import MAX_DECKS, USUAL_DECKS, USUAL_LIMITS, Soft17, SplitAces, SurrenderRule
from companion.kernel.game import Options
from companion.kernel.messages import message
from companion.plugins.options import GameOptions, OptionError, Setting


class BlackjackOptions(GameOptions):
    """Shoe and house rules; default limits are 50 to 500.

    Attributes:
        hints: allow hints on players' phones, and odds of the hand to act on the odds page.
        insist: allow rules that give the players an edge.
    """

    has_turns: ClassVar[bool] = True
    decks_option: ClassVar[str | None] = "decks"

    decks: Annotated[int, Field(ge=1, le=MAX_DECKS)] = USUAL_DECKS
    soft17: Soft17 = "stand"
    surrender: SurrenderRule = "late"
    split_aces: SplitAces = "play-on"
    hints: bool = True
    insist: Annotated[bool, Setting(is_shared=True, by_hand=True)] = False

    def header(self, folder: Path) -> Options:
        """Return the rules as header options.

        Raises:
            OptionError: they give the players an edge.
        """
        edge = players_edge(self._rules)
        if edge is not None and not self.insist:
            raise OptionError(
                ("surrender",) if self.surrender == "early" else ("decks",),
                message(
                    "these rules leave the players an edge of {edge}. Change them, "
                    "or write insist = true under [table].",
                    edge=f"{float(edge):.2%}",
                ),
            )
        return self.model_dump(exclude={"insist"})

    def check_limits(self, limits: Options) -> None:
        """Check that the minimum is not so low that rounding gives the players an edge.

        Raises:
            OptionError: the minimum is too low.
        """
        least, lowest = edges(self._rules).least_stake, limits.get("min", USUAL_LIMITS["min"])
        if least is not None and lowest < least and not self.insist:
            raise OptionError(
                ("min",),
                message(
                    "half a stake is rounded down, so bets below {least} leave the players an edge. Raise the minimum, "
                    "or write insist = true under [table].",
                    least=least,
                ),
            )

    @property
    def _rules(self) -> RuleSet:
        return RuleSet(self.decks, self.soft17, self.surrender, self.split_aces)
