"""What a player types, and what the table answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from solstat.cards import RANKS, SUITS, card_text, parse_card, shown
from solstat.errors import SolstatError, UsageError, choose_from
from solstat.games import DEAL, Move
from solstat.table.game import Game

HELP = """\
7H         the seven of hearts, with all that goes with it, to the first pile it builds on (of its
           own suit if there is one), or else to the first empty pile that takes it
7H 3       the same to pile 3; in wave-motion and flow 7H c3 to column 3, 7H r3 to reserve 3
deal       deal from the stock
off S      take the finished run of spades off, where runs do not leave by themselves
back AS 3  the ace of spades from its foundation to pile 3, where cards come back
7H>3 deal  moves in notation, one or many, up to the first that is refused
undo [N]   take back the last move, or N;  redo [N]  play them again
hint       a move that wins, if the solver finds one; it sees all cards, also those face down
moves      every legal move
save FILE  write the game to a file;  save  to the same file again
table      show the table again;  help  this;  quit  leave (so does the end of the input)
Capitals do not matter, and the start of a word will do.  A line that begins with # is skipped."""

_WITH_MORE = {"back": "back AS 3", "off": "off S"}  # how moves are written that begin with a word
_CARD = f"(?:10|[{RANKS}])[{SUITS}]"
_PLACE = "[cr]?[0-9]{1,2}"
_CLICK = re.compile(_CARD, re.IGNORECASE)
_TO = re.compile(rf"(?:(back)[: ]\s*)?({_CARD})(?:>|\s+)({_PLACE})", re.IGNORECASE)
_OFF = re.compile(rf"off[: ]\s*([{SUITS}])", re.IGNORECASE)
_NOTATION = re.compile(rf"deal|off:[{SUITS}]|(?:back:)?{_CARD}>{_PLACE}", re.IGNORECASE)


class Hint(Protocol):
    """What is asked of a hint: the verdict on a position, the rest of a line, its first move."""

    @property
    def outcome(self) -> str: ...
    @property
    def line(self) -> str: ...
    @property
    def move(self) -> str | None: ...
    @property
    def guess(self) -> bool: ...


@dataclass(frozen=True)
class Answer:
    """What follows from a command.

    Attributes
    ----------
    said : str
        A text for the player; may be empty.
    refused : bool
        The command did nothing, and `said` is why.
    changed : bool
        The table is another one, or is to be shown again.
    over : bool
        The player leaves.
    data : mapping
        More of what is said, for JSON.
    """

    said: str = ""
    refused: bool = False
    changed: bool = False
    over: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)


class Table:
    """Answers a player's commands, one by one.

    Parameters
    ----------
    game : Game
        The game that is played.
    hint : callable
        Gives a hint for the game as it is.
    save : callable
        Writes the game to a file of that name; SolstatError if it cannot.
    file : str, optional
        The file the game came from, to which ``save`` without a name writes.
    """

    def __init__(
        self,
        game: Game,
        hint: Callable[[Game], Hint],
        save: Callable[[Game, str], None],
        file: str | None = None,
    ) -> None:
        self.game = game
        self._hint, self._save, self._file = hint, save, file
        self._saved = game.line if file is not None else ""
        self._words: dict[str, Callable[[str], Answer]] = {
            "deal": self._deal,
            "help": self._alone("help", Answer(HELP)),
            "hint": self._give_hint,
            "moves": self._list_moves,
            "quit": self._alone("quit", Answer(over=True)),
            "redo": lambda rest: self._repeat(self.game.redo, rest),
            "save": self._write,
            "table": self._alone("table", Answer(changed=True)),
            "undo": lambda rest: self._repeat(self.game.undo, rest),
        }

    @staticmethod
    def _alone(word: str, answer: Answer) -> Callable[[str], Answer]:
        """A command that takes nothing, and has one answer: `q s` was meant for a queen."""

        def given(rest: str) -> Answer:
            _nothing_after(word, rest)
            return answer

        return given

    @property
    def file(self) -> str | None:
        """The file that has the game as far as `saved`, if there is one."""
        return self._file

    @property
    def saved(self) -> str:
        """The moves that the file has."""
        return self._saved

    @property
    def unsaved(self) -> bool:
        """Whether there are moves that no file has."""
        return self.game.line not in {"", self._saved}

    @property
    def words(self) -> tuple[str, ...]:
        """The words a command may begin with, other than cards."""
        return (*self._words, *_WITH_MORE)

    def answer(self, text: str) -> Answer | None:
        """Do what a line says; None if it says nothing."""
        text = text.strip()
        if not text or text.startswith("#"):
            return None
        try:
            return self._done(text)
        except SolstatError as error:
            return Answer(str(error), refused=True)

    def _done(self, text: str) -> Answer:
        if _CLICK.fullmatch(text):
            return self._played(self.game.to(_card(text)))
        if to := _TO.fullmatch(text):
            return self._to(_card(to[2]), to[3].lower(), back=to[1] is not None)
        if off := _OFF.fullmatch(text):
            return self._played(Move("off", parse_card(f"{RANKS[-1]}{off[1].upper()}")))
        words = text.split()
        if len(words) > 1 and all(map(_NOTATION.fullmatch, words)):
            return self._play_line(words)
        word, *more = text.split(maxsplit=1)
        rest = "".join(more)
        if _CLICK.fullmatch(word):
            notation = self.game.position.notation
            raise UsageError(f"{word.upper()}: {shown(rest)} is no pile: write {notation}")
        if word.lower() in _WITH_MORE:
            raise UsageError(f"{word.lower()} what? write {_WITH_MORE[word.lower()]}")
        return self._words[self._word(word)](rest)

    def _word(self, typed: str) -> str:
        """The command that a word begins."""
        found = [word for word in self._words if word.startswith(typed.lower())]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"{typed.lower()}: {' or '.join(found)}?")
        raise UsageError(
            f"{shown(typed)} is no command: write a card, like 7H, or a word; "
            f"{choose_from(typed.lower(), self.words)}"
        )

    def _to(self, card: int, place: str, back: bool) -> Answer:
        """A card to a place that was named."""
        game = self.game
        kind = "back" if back else game.kind_of(card)
        named = game.position.parse_move(f"{card_text(card)}>{place}")
        return self._played(named._replace(kind=kind))

    def _play_line(self, words: Sequence[str]) -> Answer:
        """Moves in notation, up to the first that is refused."""
        before = len(self.game.moves)
        try:
            self.game.play_line(map(_in_notation, words))
            refused = ""
        except UsageError as error:
            refused = str(error)
        played = self.game.moves[before:]
        if refused and played:
            refused += f"; played before it: {' '.join(played)}"
        return Answer(refused, bool(refused), bool(played), data={"played": list(played)})

    def _deal(self, rest: str) -> Answer:
        _nothing_after("deal", rest)
        return self._played(DEAL)

    def _played(self, move: Move) -> Answer:
        return Answer(changed=True, data={"played": [self.game.play(move)]})

    def _repeat(self, step: Callable[[], str], rest: str) -> Answer:
        """Undo or redo once, or as often as is said; all that there is if that is less."""
        if not re.fullmatch("([1-9][0-9]{0,8})?", rest):
            raise UsageError(f"{shown(rest)}: write how many moves, like 3")
        done = [step()]
        said = ""
        try:
            while len(done) < int(rest or 1):
                done.append(step())
        except UsageError:
            said = f"{step.__name__} {len(done)}: there are no more"
        return Answer(said, changed=True, data={step.__name__: done})

    def _list_moves(self, rest: str) -> Answer:
        _nothing_after("moves", rest)
        position = self.game.position
        moves = [position.move_text(move) for move in position.moves()]
        return Answer(" ".join(moves) or "there is no legal move", data={"moves": moves})

    def _give_hint(self, rest: str) -> Answer:
        _nothing_after("hint", rest)
        if self.game.position.won:
            return Answer("the game is won", data={"hint": None})
        hint = self._hint(self.game)
        data = {"outcome": hint.outcome, "move": hint.move, "line": hint.line, "guess": hint.guess}
        match hint.outcome:
            case "won":
                left = len(hint.line.split())
                said = f"{hint.move} (it wins{f', the first of {left} moves' if left > 1 else ''})"
            case "lost":
                said = "proved lost: no move wins from here"
            case _ if hint.move is None:
                said = "unsettled: the solver does not know"
            case _:
                said = f"{hint.move} (a guess: whether it can be won from here is unsettled)"
        return Answer(said, data={"hint": data})

    def _write(self, rest: str) -> Answer:
        file = rest or self._file
        if file is None:
            raise UsageError("save where? write save FILE")
        self._save(self.game, file)
        self._file, self._saved = file, self.game.line
        return Answer(f"saved: {file}", data={"saved": file})


def _nothing_after(word: str, rest: str) -> None:
    if rest:
        raise UsageError(f"{word} stands alone: what is {shown(rest)}?")


def _card(typed: str) -> int:
    return parse_card(typed.upper().replace("10", "T"))


def _in_notation(typed: str) -> str:
    """A move as notation has it, from one that was typed in small letters."""
    kind, colon, rest = typed.lower().rpartition(":")
    card, arrow, place = rest.partition(">")
    if not arrow:
        return f"{kind}{colon}{rest.upper()}" if colon else rest  # off:S, or deal
    return f"{kind}{colon}{card.upper().replace('10', 'T')}>{place}"
