"""`solstat play` in a pseudo-terminal: what a person sees who types."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from solstat.cli.inputs import deal_of_seed
from solstat.games import parse_rules
from solstat.table import saved
from solstat.table.game import Game

SECONDS = 60  # until it is given up that anything comes
RED = "\x1b[31m"
PROMPT = "> "


class Terminal:
    """A process on a terminal of its own."""

    def __init__(self, folder: Path, *arguments: str, columns: int = 80, **more: str) -> None:
        self._screen, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        for name in ("COLUMNS", "LINES"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "solstat", "play", *arguments],
            cwd=folder,
            env=environment | {"TERM": "xterm"} | more,
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(other)

    def until(self, end: str) -> str:
        """What is written up to a text."""
        written = ""
        while not written.endswith(end):
            if not select.select([self._screen], [], [], SECONDS)[0]:
                raise AssertionError(f"{end!r} does not come: {written!r}")
            try:
                more = os.read(self._screen, 1)
            except OSError:  # the other end is closed
                more = b""
            if not more:
                raise AssertionError(f"it ended without {end!r}: {written!r}")
            written += more.decode()
        return written.replace("\r\n", "\n")

    def rest(self) -> str:
        """What is written until the process ends."""
        written = b""
        while select.select([self._screen], [], [], SECONDS)[0]:
            try:
                more = os.read(self._screen, 4096)
            except OSError:
                more = b""
            if not more:
                break
            written += more
        return written.decode().replace("\r\n", "\n")

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def answer(self, text: str) -> str:
        """Type a line, and read what follows up to the next prompt."""
        self.type(text + "\n")
        return self.until("\n" + PROMPT)

    def code(self) -> int:
        return self.process.wait(SECONDS)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._screen)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_one(*arguments: str, columns: int = 80, **more: str) -> Terminal:
        opened.append(Terminal(tmp_path, *arguments, columns=columns, **more))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", text)


def test_a_game_at_a_terminal(terminal):
    table = terminal("wasp", "24")
    start = table.until(PROMPT)
    assert f"{RED}6D\x1b[0m" in start
    assert "   1   2   3   4   5   6   7\n  ##  ##  ##  ##  6D  9C  9S\n" in plain(start)
    assert "wasp, seed 24: 1 move, the last AC>5\n" in plain(table.answer("AC"))
    assert "refused: KH: a king goes on no card, and none is empty\n" in table.answer("KH")
    assert "wasp, seed 24: 0 moves\n" in plain(table.answer("undo"))
    table.type("quit\n")
    assert "not saved" not in table.rest()
    assert table.code() == 0


def test_the_end_of_the_input_ends_it_and_says_how_to_go_on(terminal):
    table = terminal("wasp", "24", "-r", "face_down_piles=3")
    table.until(PROMPT)
    table.answer("AC 5")
    table.type("\x04")
    assert table.rest().endswith(
        "\nnot saved; to go on: solstat play 'wasp(face_down_piles=3)' 24 --line 'AC>5'\n"
    )
    assert table.code() == 0


def test_ctrl_c_loses_no_game(terminal):
    table = terminal("flow", "ms3", "--scheme", "pysol")
    table.until(PROMPT)
    move = plain(table.answer("moves")).splitlines()[1].split()[0]
    table.answer(move)
    os.killpg(table.process.pid, signal.SIGINT)
    said = table.rest()
    assert f"to go on: solstat play flow ms3 --scheme pysol --line '{move}'\n" in said
    assert said.endswith("Interrupted\n")
    assert table.code() == 130


def test_a_saved_game_is_not_spoken_of(terminal, tmp_path):
    table = terminal("wasp", "24")
    table.until(PROMPT)
    table.answer("AC")
    assert "saved: game.json\n" in table.answer("save game.json")
    table.type("quit\n")
    assert "not saved" not in table.rest()
    assert (tmp_path / "game.json").exists()


def test_a_game_of_a_deal_file_goes_on_from_its_saved_game(terminal, tmp_path):
    seed24 = Game(parse_rules("wasp"), "file", deal_of_seed("solstat", "24"))
    seed24.play_line(["AC>5"])
    (tmp_path / "game.json").write_text(saved.text_of(seed24))
    table = terminal("--load", "game.json", "--line", "deal")
    table.until(PROMPT)
    table.type("quit\n")
    assert table.rest().endswith(
        "\nnot saved; to go on: solstat play --load game.json --line deal\n"
    )
    table = terminal("--load", "game.json")
    table.until(PROMPT)
    table.answer("undo")
    table.answer("deal")
    table.type("quit\n")
    assert table.rest().endswith("\nnot saved; the moves from the deal in game.json: deal\n")


def test_words_are_completed_and_lines_recalled(terminal):
    table = terminal("wasp", "24")
    table.until(PROMPT)
    table.type("dea\t")
    assert "wasp, seed 24: 1 move, the last deal\n" in plain(table.answer(""))
    table.answer("u\t1")  # a blank comes with the word
    table.type("\x1b[A\x1b[A")
    assert "wasp, seed 24: 1 move, the last deal\n" in plain(table.answer(""))


@pytest.mark.parametrize("how", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_for_those_who_want_none(terminal, how):
    table = terminal("wasp", "24", **how)
    assert "\x1b[3" not in table.until(PROMPT)


def test_a_narrow_terminal_has_more_rows(terminal):
    table = terminal("flow", "3", columns=20)
    lines = plain(table.until(PROMPT)).splitlines()
    assert "  c1  c2  c3  c4  c5" in lines
    assert "  c6  c7  c8" in lines
    assert "  r6  r7  r8" in lines


def test_no_prompt_where_the_answers_go_to_a_file(tmp_path):
    screen, other = pty.openpty()
    with open(tmp_path / "answers", "wb") as answers:
        process = subprocess.Popen(
            [sys.executable, "-m", "solstat", "play", "wasp", "24"],
            cwd=tmp_path,
            stdin=other,
            stdout=answers,
        )
        os.close(other)
        os.write(screen, b"AC\n\x04")
        assert process.wait(SECONDS) == 0
    os.close(screen)
    written = (tmp_path / "answers").read_text()
    assert PROMPT not in written.replace("AC>5", "")
    assert written.endswith("wasp, seed 24: 1 move, the last AC>5\n")
