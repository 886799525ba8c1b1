"""Players' games by the thousand: the same bytes whatever happens, and never taken for a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from solstat.deals import SeedRange
from solstat.errors import SolstatError, UsageError
from solstat.games import parse_rules
from solstat.players import VERSION, play
from solstat.solver import deal_many
from solstat.survey import playing
from solstat.survey.played import ENDS, FILE, Games, games_under
from solstat.survey.playing import play_deals
from solstat.survey.reader import runs_under

WASP = parse_rules("wasp")


@pytest.fixture(autouse=True)
def _small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 7)


def played(place: Path, last: int = 40, first: int = 0, workers: int = 1) -> Games:
    [games] = play_deals(
        WASP, ["greedy"], "solstat", SeedRange(first, last), place, workers=workers
    )
    return games


def content(top: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def test_rows_say_how_each_game_went(tmp_path: Path) -> None:
    games = played(tmp_path, first=100, last=140)
    assert games.path == tmp_path / "wasp/greedy"
    rows = pd.read_parquet(sorted(map(str, games.path.glob("*.parquet"))))
    assert len(rows) == games.deals == 40
    assert list(rows["index"]) == list(range(40))
    assert list(rows["seed"]) == [str(seed) for seed in range(100, 140)]
    for name, value in {"game": "wasp", "rules": "wasp", "policy": "greedy"}.items():
        assert set(rows[name]) == {value}
    assert set(rows["players"]) == {VERSION}
    deals = deal_many("solstat", range(100, 140)).tolist()
    here = [play(WASP, cards, "greedy", seed) for seed, cards in enumerate(deals, 100)]
    assert list(rows["outcome"]) == [game.end for game in here]
    assert list(rows["moves"]) == [game.moves for game in here]
    assert games.ends() == {end: sum(game.end == end for game in here) for end in ENDS}


def test_the_same_bytes_for_any_number_of_workers_and_in_pieces(tmp_path: Path) -> None:
    played(tmp_path / "one")
    played(tmp_path / "two", workers=2)
    for last in (5, 23, 40):
        played(tmp_path / "pieces", last=last)
    whole = content(tmp_path / "one")
    assert len(whole) == 2
    assert content(tmp_path / "two") == content(tmp_path / "pieces") == whole


def test_fewer_deals_leave_what_is_there(tmp_path: Path) -> None:
    played(tmp_path)
    before = content(tmp_path)
    assert played(tmp_path, last=10).deals == 40
    assert content(tmp_path) == before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_is_stopped_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    words = ["play-model", "-g", "wasp", "--deals", "0:4k", "-o", "a", "--workers", "2"]
    words += ["--policy", "random"]
    command = [sys.executable, "-m", "solstat", *words]
    process = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    directory = tmp_path / "a/wasp/random"
    end = time.monotonic() + 120
    while not list(directory.glob("part-*")) and time.monotonic() < end:
        time.sleep(0.01)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=120)
    stored = sum(Games.load(directory).ends().values())
    assert 0 < stored < 4000
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert said.splitlines()[-1].startswith("interrupted, what was played is stored; to go on:")
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    whole = SeedRange(0, 4000)
    play_deals(WASP, ["random"], "solstat", whole, tmp_path / "b", workers=1)
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_other_games_are_refused_by_what_differs(tmp_path: Path) -> None:
    played(tmp_path)
    with pytest.raises(UsageError, match="holds games of first_seed 0, not 5: name another"):
        played(tmp_path, first=5)
    (tmp_path / "wasp/random").mkdir()
    (tmp_path / "wasp/random/notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"holds other files, such as notes\.txt"):
        play_deals(WASP, ["random"], "solstat", SeedRange(0, 5), tmp_path)
    with pytest.raises(UsageError, match="unknown policy"):
        play_deals(WASP, ["clever"], "solstat", SeedRange(0, 5), tmp_path)


def test_damage_is_told(tmp_path: Path) -> None:
    games = played(tmp_path)
    [part] = games.path.glob("part-*")
    whole = part.read_bytes()
    part.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SolstatError, match=f"{part.name}: damaged"):
        games.ends()
    part.write_bytes(whole)
    other = play_deals(WASP, ["random"], "solstat", SeedRange(0, 40), tmp_path, workers=1)[0]
    (other.path / part.name).write_bytes(whole)
    with pytest.raises(SolstatError, match="its schema is another"):
        other.ends()
    for text in ("", "{}", '{"version": 9}', '{"version": 1, "identity": {}, "deals": 1}'):
        (games.path / FILE).write_text(text)
        with pytest.raises(SolstatError, match="players.json: damaged"):
            games_under(tmp_path)


def test_it_is_no_run(tmp_path: Path) -> None:
    played(tmp_path)
    for place in (tmp_path, tmp_path / "wasp", tmp_path / "wasp/greedy"):
        with pytest.raises(UsageError, match="no run here"):
            runs_under(place)
