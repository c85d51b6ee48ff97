"""Practice texts of Rochi and Captain's Rochi: glossary terms, and the options at each step."""

from collections.abc import Iterator, Mapping
from typing import Final

from companion.games.terms import CUT, DAY_AND_NIGHT
from companion.kernel.messages import Message, joined, message
from companion.plugins.words import Term, View

BUY: Final = Term(
    message("Buy"),
    message(
        "Play a card of a suit and take its token. You pay as many coins as the stack then has cards: to the "
        "owner, or into the suit's pot if nobody owns it. Your own suit costs nothing."
    ),
)
COUNT: Final = Term(
    message("Count"),
    message(
        'How many cards lie in a stack, and so what its suit costs: "paying the count" is paying that many '
        "coins. Also the penalty that the losers pay the winner."
    ),
    also=(message("forfeit"),),
)
DEAD: Final = Term(
    message("Dead"),
    message("So many cards of the suit are Shields or discarded that too few are left to cut it."),
)
FOLD: Final = Term(
    message("Fold"),
    message(
        "Give the hand up: cards, tokens and Shields go, and you can neither win nor lose any more. Doing "
        "nothing in your turn is folding."
    ),
)
FRESH: Final = Term(
    message("Fresh"),
    message("A suit of which hardly anything lies open yet."),
    also=(message("green"),),
)
HAND: Final = Term(
    message("Hand"),
    message("One play of Rochi, from the deal until a suit is cut; the whole evening is the game."),
    also=(message("round"),),
)
LAST_HAND: Final = Term(
    message("Last hand"),
    message(
        "If everybody agrees, the game ends with this hand: what is left in the pots is divided evenly, and "
        "the odd coins go to the winner."
    ),
)
LEADER_BUTTON: Final = Term(
    message("Leader button"),
    message("Whoever has it acts first. It moves one seat to the left after every hand."),
)
LOCKED: Final = Term(
    message("Locked"),
    message("Cut while nobody owned it. A locked suit can neither be bought nor win; its token lies on its stack."),
)
MARK: Final = Term(
    message("Mark"),
    message(
        "A card played on a ripe stack does not enter it: it lies before the player who owned the suit, or "
        "before you if nobody did. One halves the penalty when that suit wins; with two you pay nothing."
    ),
    also=(message("Shield"),),
)
MARKER: Final = Term(
    message("Marker"),
    message("What somebody who sits out is credited on coming back: a share of the pots as they were."),
)
PASS: Final = Term(
    message("Pass"),
    message("Captain's Rochi: throw the hand away instead of acting, and both draw up to seven new cards."),
)
PENALTY: Final = Term(
    message("Penalty"),
    message("What each player who has acted and not folded pays the winner: as many coins as the winning suit's rank."),
)
POKE: Final = Term(
    message("Poke"),
    message("The coins in the pots, one pot to a suit."),
    also=(message("pot"),),
)
RIPE: Final = Term(
    message("Ripe"),
    message("One card short of its cut."),
)
ROTTEN: Final = Term(
    message("Rotten"),
    message("Many cards of the suit are Shields or discarded, so it is hard to cut."),
)
ROUND: Final = Term(
    message("Round"),
    message("Also a series of hands in which every player leads once."),
)
SEED: Final = Term(
    message("Seed"),
    message(
        "With fewer than six players, cards from the deck go onto the stacks before the first turn: two for "
        "each player missing."
    ),
)
STACKS: Final = Term(
    message("Stacks"),
    message("The six piles of open cards, one to a suit. Rochi itself is also called playing the stacks."),
    also=(message("stories"),),
)

_ALL: Final = (
    BUY,
    COUNT,
    CUT,
    DAY_AND_NIGHT,
    DEAD,
    FRESH,
    LOCKED,
    MARK,
    PENALTY,
    POKE,
    RIPE,
    ROTTEN,
    SEED,
    STACKS,
)
ROCHI_TERMS: Final = (*_ALL, FOLD, HAND, LAST_HAND, LEADER_BUTTON, MARKER, ROUND)
CAPTAINS_TERMS: Final = (*_ALL, PASS)


_NOTHING: Final = Message("")


def practice(view: View) -> Message:
    """Return the practice hint for the current step."""
    phase = view["phase"]
    if phase == "turns":
        return joined([_turn(view), *_ripe(view)], " ")
    if phase == "seeding" and view["game"] == "captains":
        return _CAPTAINS_SEEDING
    return _PHASES.get(phase, _NOTHING)


_PHASES: Final[Mapping[str, Message]] = {
    "waiting": message("Two players sit down with their coins. The antes go into the pots as the game begins."),
    "seeding": message(
        "With fewer than six players some cards come from the deck before anybody plays, each onto its suit's stack. "
        "A suit of which half the cards lie there is cut; nobody owns it yet, so it is locked and out of the hand."
    ),
    "last-player": message(
        "Everybody else has folded. The last player turns cards over until one of their suits is cut; "
        "they take its pot, and nobody pays a penalty."
    ),
    "between-hands": message(
        "The hand is over. The winner has taken the suit's pot and the penalties; the other pots stay for later hands. "
        "Players may come and go now. The leader button moves one seat to the left."
    ),
    "odd-coin": message(
        "Half of an odd penalty leaves half a coin: the loser puts a whole one into a pot of their choice."
    ),
    "finished": message("The game is over. What lay in the pots has been shared out."),
}


_CAPTAINS_SEEDING: Final = message(
    "Eight cards come from the deck before anybody plays, each onto its suit's stack. A suit of which half the cards "
    "lie there is cut: its cards are discarded, and it starts afresh, open and empty."
)
_CAPTAINS_CUT: Final = message(
    "A cut is settled at once: the suit's owner gets the penalty from the other player and the suit's pot, but leaves "
    "one coin in it; the other player puts one coin into it. The suit's cards are discarded, and both draw up to seven "
    "cards."
)
_FOLDING: Final = message("fold, and be out of this hand")
_PASSING: Final = message("pass, for a new hand of cards")
_BUYING: Final = message(
    "A played card buys its suit: the player pays as many coins as the stack then has cards, to the owner, or into the "
    "pot if nobody owns it. Only a card from the deck can cut a suit, and the suit's owner wins."
)


def _turn(view: View) -> Message:
    name, done, can = view["turn"], view["done"], view["expected"]
    if done["play"]:
        more = message("They may also turn over the deck's top card, or end the turn.") if "deal" in can else _END
        return message("{player} has bought a suit and owns it until somebody buys it. {more}", player=name, more=more)
    if done["deal"]:
        more = message("They may also play a card from their hand, or end the turn.") if "play" in can else _END
        return message("{player} has turned a card over. {more}", player=name, more=more)
    pass_ = _PASSING if view["game"] == "captains" else _FOLDING
    ways = _ways("play" in can, "deal" in can)
    choice = message("It is {player}'s turn: {ways}; or {giving_up}.", player=name, ways=ways, giving_up=pass_)
    return joined([choice, _BUYING], " ")


_END: Final = message("They end the turn.")


def _ways(can_play: bool, can_deal: bool) -> Message:
    """Return the options as text; Captain's Rochi has no deal on its first turn, an empty hand no play."""
    if can_play and can_deal:
        return message("play a card from the hand, turn over the deck's top card, or both, in any order")
    return message("play a card from the hand") if can_play else message("turn over the deck's top card")


def _ripe(view: View) -> Iterator[Message]:
    for stack in view["stacks"]:
        if stack["condition"] not in ("ripe", "rotten") or stack["to_cut"] != 1:
            continue
        owner, suit = stack["owner"], stack["name"]
        if owner:
            yield message(
                "{suit} is ripe: with the next {suit} card from the deck {player} wins.", suit=suit, player=owner
            )
        else:
            yield message(
                "{suit} is ripe: with the next {suit} card from the deck it is locked, because nobody owns it.",
                suit=suit,
            )


def _your_turn(giving_up: Message) -> Message:
    return message("In your turn: {ways}; or {giving_up}.", ways=_ways(True, True), giving_up=giving_up)


ROCHI_STEPS: Final = (
    _PHASES["seeding"],
    _your_turn(_FOLDING),
    _BUYING,
    _PHASES["last-player"],
    _PHASES["between-hands"],
)
CAPTAINS_STEPS: Final = (
    _PHASES["waiting"],
    _CAPTAINS_SEEDING,
    _your_turn(_PASSING),
    _BUYING,
    _CAPTAINS_CUT,
    _PHASES["odd-coin"],
    _PHASES["finished"],
)
