"""Rules of King of Roulette: the king rigs six spaces and guesses how many of the others, who bet in secret, will earn.

Source: the seed's rules, 7 rounds for 7 players, as interpreted by the contract of the other tables. Votes, rule,
guess, bets and the use of a bonus are secret: until the reveal no event, view or result contains them. A choice that
changes nothing public, such as the use of a bonus, is announced without its player, and no undo label names one.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

from companion.games.king import audit as king_audit
from companion.games.king import company, view
from companion.games.king.commands import (
    BetOnSpace,
    BuyBonus,
    Choose,
    Elect,
    Guess,
    NewGame,
    Reveal,
    SetRule,
    UseBonus,
    Vote,
)
from companion.games.king.events import (
    BonusBought,
    ChoiceMade,
    GameBegan,
    GameEnded,
    KingCrowned,
    RoundRevealed,
    SecretChoiceMade,
    VoteTied,
)
from companion.games.king.shapes import KingSecrets, KingView
from companion.games.king.spaces import KING, RIGGED, SPACES, Rule
from companion.games.king.state import (
    BUY_IN,
    MAX_PLAYERS,
    MIN_PLAYERS,
    ROUNDS,
    Phase,
    Player,
    State,
    highest,
    is_right,
    lowest,
    price,
    range_points,
    ranges,
)
from companion.games.king.words import COMMANDS, given_together
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.commands import Command, Join, Leave, Record, verbs
from companion.kernel.errors import BadScript, NotEnoughCoins, NotOffered, NotYourTurn, WrongPhase
from companion.kernel.game import BaseGame, Effect, Options, Rounds, Seat, seat_of
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, either, joined, message
from companion.kernel.shared.options import check_names, whole_number
from companion.kernel.values import changed

Outcome = tuple[State, tuple[Effect, ...]]
TOKENS: Final = {1: 2, 2: 1, 3: 1}
"""Number of players tied for first -> tokens for each of them; more than three get none."""
A_GARNET_FOR: Final = 5
"""Points per garnet."""


class KingOfRoulette(BaseGame):
    """The rules; see `companion.kernel.game.Game`."""

    name = "king-of-roulette"
    title = message("King of Roulette").key  # marked for translation: printed cards use the localized title
    min_players = MIN_PLAYERS
    verbs = verbs(
        Vote, SetRule, Guess, BetOnSpace, BuyBonus, UseBonus, Reveal, Elect, Choose, NewGame, Join, Leave
    )  # fmt: skip
    own_words = COMMANDS
    rounds = Rounds(follow_on=True)
    empty_text = False
    to_finish: ClassVar[str] = message("finish the vote, reveal the round, or choose the candidate")
    secret = frozenset({"vote", "rule", "guess", "bet", "use-bonus"})
    reveals: ClassVar[Mapping[str, frozenset[str]]] = {"reveal": secret - {"vote"}}
    follow_ups = frozenset({"elect", "choose"})
    purchases = frozenset({"buy-bonus"})
    has_own_coins = True  # garnets: with all coins of a casino night a bonus would cost next to nothing

    def start(self, seats: Sequence[Seat], options: Options) -> State:
        check_names(self.title, options, ("rounds", "buy_in"))
        rounds = whole_number(options, "rounds", "rounds") or ROUNDS
        buy_in = whole_number(options, "buy_in", "garnets") or BUY_IN
        if len(seats) > MAX_PLAYERS:  # too few are fine: more may join
            raise BadScript.saying(
                "{game} is for {fewest} to {most} players, and {count} sit here.",
                game=message("King of Roulette"),
                fewest=MIN_PLAYERS,
                most=MAX_PLAYERS,
                count=len(seats),
            )
        return State(rounds, tuple(Player(seat) for seat in seats), buy_in=buy_in)

    def usual_buy_in(self, state: State) -> int:
        return state.buy_in

    def expected(self, state: State) -> frozenset[str]:
        if state.phase is Phase.VOTE:
            return frozenset({"join", "leave"} | ({"vote"} if len(state.players) >= MIN_PLAYERS else set()))
        if state.phase is Phase.ROUND and state.is_ready:
            return _READY
        return _EXPECTED[state.phase]

    def why_not(self, state: State) -> Message:
        if state.phase is Phase.VOTE and len(state.players) < MIN_PLAYERS:
            return message("This has to wait: {n} players are needed. Let others join.", n=MIN_PLAYERS)
        if state.phase is Phase.ROUND and not state.is_ready:
            waiting = joined(view.waiting_for(state))
            return message("This has to wait: the secret choices of {players} are missing.", players=waiting)
        return _WHY_NOT[state.phase]

    def apply(self, state: State, command: Command, ledger: Ledger) -> Outcome:
        if command.verb not in self.expected(state):
            raise WrongPhase(self.why_not(state))
        return _RULES[type(command)](state, command, ledger)

    def audit(self, before: State, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        return king_audit.differences(before, command, happened)

    def unfinished(self, state: State) -> Message | None:
        """Block leaving a game with unrevealed secrets, or with tokens that are not in a result yet."""
        if state.phase is Phase.CHOOSE:
            return message("the Elimination Candidate is not chosen")
        is_secret = state.phase in (Phase.VOTE, Phase.ROUND) and (
            state.rule or state.guess or any(one.vote or one.space or one.uses_bonus for one in state.players)
        )
        return message("secret choices are not revealed") if is_secret else None

    def view(self, state: State) -> KingView:
        return view.public(state)

    def private(self, state: State, player: str) -> KingSecrets:
        return view.secrets_of(state, player)

    def facts(self, state: State) -> Mapping[str, object]:
        return view.facts(state)

    def given_together(self, records: Sequence[Record]) -> int:
        return given_together(records)


_EXPECTED: Final[Mapping[Phase, frozenset[str]]] = {
    Phase.ROUND: frozenset({"rule", "guess", "bet", "buy-bonus", "use-bonus"}),
    Phase.SUCCESSION: frozenset({"elect"}),
    Phase.CHOOSE: frozenset({"choose"}),
    Phase.OVER: frozenset({"new-game"}),
}
_READY: Final = _EXPECTED[Phase.ROUND] | {"reveal"}
_WHY_NOT: Final[Mapping[Phase, Message]] = {
    Phase.VOTE: message("This has to wait: everybody votes for the first king."),
    Phase.ROUND: message("This has to wait: reveal the round first."),
    Phase.SUCCESSION: message("This has to wait: the king elects the next king."),
    Phase.CHOOSE: message("This has to wait: the highest scorers choose the candidate."),
    Phase.OVER: message("This has to wait: the game is over. Begin a new one."),
}


def _made(before: State, after: State, player: str) -> Effect:
    """Return the event of a secret choice; it names the player only if everybody sees anyway that they made it."""
    return SecretChoiceMade() if view.facts(after) == view.facts(before) else ChoiceMade(player)


# ---- the first king


def _vote(state: State, command: Vote, ledger: Ledger) -> Outcome:
    for name in (command.player, command.for_):
        seat_of(state.seats, name)
    voted = state.changed(command.player, vote=command.for_)
    made = _made(state, voted, command.player)
    if any(player.vote is None for player in voted.players):
        return voted, (made,)
    votes = Counter(player.vote for player in voted.players)
    first = [name for name, count in votes.items() if count == max(votes.values())]
    anew = voted.all_changed(vote=None)
    if len(first) > 1:
        return changed(anew, vote_tied=True), (made, VoteTied())
    return changed(anew, phase=Phase.ROUND, king=first[0], vote_tied=False), (made, KingCrowned(str(first[0]), 1))


# ---- the king's secrets


def _check_king(state: State, player: str | None) -> str:
    """Return the king's name; raise if ``player`` is given and is not the king.

    Raises:
        UnknownPlayer: no such player at the table.
        NotYourTurn: another player than the king.
    """
    king = str(state.king)
    if player is not None and seat_of(state.seats, player).player != king:
        raise NotYourTurn.saying("{king} is the king of this round, not {player}.", king=king, player=player)
    return king


def _rule(state: State, command: SetRule, ledger: Ledger) -> Outcome:
    king = _check_king(state, command.player)
    spaces = (*command.one, command.two)
    if len(set(spaces)) < len(spaces) or any(space not in RIGGED for space in spaces):
        raise NotOffered.saying(
            "A rule names three different spaces from 1 to 6, two for 1 point and one for 2, got {spaces}.",
            spaces=", ".join(str(space)[:20] for space in spaces),
        )
    rule = Rule(command.text, (command.one[0], command.one[1]), command.two)
    after = changed(state, rule=rule)
    return after, (_made(state, after, king),)


def _guess(state: State, command: Guess, ledger: Ledger) -> Outcome:
    king = _check_king(state, command.player)
    known = ranges(len(state.players))
    if command.range not in known:
        raise NotOffered.saying(
            "The king cannot guess {range}. Guess {ranges}.", range=repr(command.range[:20]), ranges=either(known)
        )
    after = changed(state, guess=command.range)
    return after, (_made(state, after, king),)


# ---- bets and bonuses


def _bet(state: State, command: BetOnSpace, ledger: Ledger) -> Outcome:
    seat_of(state.seats, command.player)
    if command.player == state.king:
        raise NotOffered.saying("{player} is the king and does not bet.", player=command.player)
    if command.space not in SPACES:
        raise NotOffered.saying("There is no space {space}. Bet on 1 to 6 or king.", space=repr(command.space)[:40])
    after = state.changed(command.player, space=command.space)
    return after, (_made(state, after, command.player),)


def _buy_bonus(state: State, command: BuyBonus, ledger: Ledger) -> Outcome:
    name = seat_of(state.seats, command.player).player
    player = state.player(name)
    cost, garnets = price(player), ledger.balance(name)
    if garnets < cost:
        raise NotEnoughCoins.saying(
            "{player} has {garnets} garnets; the next Double Bonus costs {price}. Buy in first.",
            player=name,
            garnets=garnets,
            price=cost,
        )
    after = state.changed(name, bonuses=player.bonuses + 1, bought=player.bought + 1)
    return after, (BonusBought(name, cost), Transfer(Account.player(name), HOUSE, cost, "bonus"))


def _use_bonus(state: State, command: UseBonus, ledger: Ledger) -> Outcome:
    player = state.player(seat_of(state.seats, command.player).player)
    if player.uses_bonus:
        raise NotOffered.saying("{player} uses a Double Bonus in this round already.", player=player.name)
    if not player.bonuses:
        raise NotOffered.saying("{player} has no Double Bonus. Buy one first.", player=player.name)
    return state.changed(player.name, uses_bonus=True), (SecretChoiceMade(),)


# ---- the reveal


def _reveal(state: State, command: Reveal, ledger: Ledger) -> Outcome:
    assert state.rule is not None
    assert state.guess is not None
    earned = sum(state.rule.points(player.space) > 0 for player in state.others)
    points = {player.name: _points(state, player, earned) for player in state.players}
    scored = _scored(state, points)
    garnets = _garnets(state.players, points)
    after, following = _succession(state, scored)
    event = RoundRevealed(
        round=state.round,
        king=str(state.king),
        rule=state.rule,
        guess=state.guess,
        bets=tuple((player.name, player.space or 0) for player in state.others),
        bonus=tuple(player.name for player in state.players if player.uses_bonus),
        points=tuple(points.items()),
        earned=earned,
        next_king=after.king if after.phase is Phase.ROUND else None,
        garnets=garnets,
    )
    return changed(after, revealed=event), (event, *garnets, *following)


def _points(state: State, player: Player, earned: int) -> int:
    """Return a player's points for the round, from the bet or the king's guess; doubled by a bonus."""
    assert state.rule is not None
    assert state.guess is not None
    if player.name != state.king:
        points = state.rule.points(player.space)
    else:
        points = range_points(state.guess, len(state.players)) if is_right(state.guess, earned) else 0
    return points * 2 if player.uses_bonus else points


def _scored(state: State, points: Mapping[str, int]) -> State:
    """Add the points, remove used bonuses and clear all secrets."""
    players = tuple(
        changed(
            player,
            points=player.points + points[player.name],
            bonuses=player.bonuses - player.uses_bonus,
            space=None,
            uses_bonus=False,
        )
        for player in state.players
    )
    return changed(state, players=players, rule=None, guess=None)


def _garnets(players: Sequence[Player], points: Mapping[str, int]) -> tuple[Transfer, ...]:
    """Return the house's transfers: one garnet per multiple of 5 newly reached by a player's points."""
    earned = (
        (player.name, (player.points + points[player.name]) // A_GARNET_FOR - player.points // A_GARNET_FOR)
        for player in players
    )
    return tuple(Transfer(HOUSE, Account.player(name), coins, "garnets") for name, coins in earned if coins)


def _succession(state: State, scored: State) -> Outcome:
    """Crown the next king, wait for a decision on a tie, or end the game."""
    if state.round == state.rounds:
        return _end(scored)
    bettors = {player.name for player in state.others if player.space == KING}
    candidates = lowest([player for player in scored.players if player.name in bettors]) if bettors else scored.names
    if len(candidates) > 1:
        return changed(scored, phase=Phase.SUCCESSION, tied=candidates), ()
    return _crowned(scored, candidates[0])


def _crowned(state: State, king: str) -> Outcome:
    after = changed(state, phase=Phase.ROUND, round=state.round + 1, king=king, tied=())
    return after, (KingCrowned(king, after.round),)


def _elect(state: State, command: Elect, ledger: Ledger) -> Outcome:
    seat_of(state.seats, command.player)
    if command.player not in state.tied:
        raise NotOffered.saying(
            "{player} cannot be elected. Choose {tied}.", player=command.player, tied=either(state.tied)
        )
    return _crowned(state, command.player)


# ---- the end


def _end(state: State) -> Outcome:
    """Find the Elimination Candidate: fewest points, or the last king if all are tied."""
    last = lowest(state.players)
    if len(last) == len(state.players):
        return _over(state, str(state.king))
    if len(last) > 1:
        return changed(state, phase=Phase.CHOOSE, tied=last), ()
    return _over(state, last[0])


def _choose(state: State, command: Choose, ledger: Ledger) -> Outcome:
    seat_of(state.seats, command.player)
    if command.player not in state.tied:
        raise NotOffered.saying(
            "{player} is not tied for last. Choose {tied}.", player=command.player, tied=either(state.tied)
        )
    return _over(state, command.player)


def _over(state: State, candidate: str) -> Outcome:
    first = highest(state.players)
    each = 0 if len(first) == len(state.players) else TOKENS.get(len(first), 0)
    tokens = tuple((name, each) for name in first if each)
    final = tuple((player.name, player.points) for player in state.players)
    ended = GameEnded(final, tokens, candidate)
    return changed(state, phase=Phase.OVER, tied=(), ended=ended), (ended,)


def _new_game(state: State, command: NewGame, ledger: Ledger) -> Outcome:
    players = tuple(Player(player.seat) for player in state.players)
    return State(state.rounds, players, buy_in=state.buy_in), (GameBegan(),)


_RULES: Final[Mapping[type[Command], Callable[[State, Any, Ledger], Outcome]]] = {
    Vote: _vote,
    SetRule: _rule,
    Guess: _guess,
    BetOnSpace: _bet,
    BuyBonus: _buy_bonus,
    UseBonus: _use_bonus,
    Reveal: _reveal,
    Elect: _elect,
    Choose: _choose,
    NewGame: _new_game,
    Join: company.join,
    Leave: company.leave,
}
