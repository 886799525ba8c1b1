from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from solstat.deals import SeedRange
from solstat.games import rules
from solstat.report.forest import player_rows
from solstat.report.players import models_table, steps_table
from solstat.stats.intervals import wilson
from solstat.stats.players import Model, all_models, model, models_of, steps
from solstat.survey.playing import play_deals


def player(policy: str, won: int, n: int = 100, game: str = "wasp") -> Model:
    low, high = wilson(won, n)
    return Model(game, policy, "solstat", "0", n, won, n - won, 0, won / n, low, high, 0.95)


def test_models_are_of_the_games_that_are_kept(tmp_path: Path) -> None:
    assert all_models(tmp_path) == []
    seeds = SeedRange(0, 30)
    for game in ("wasp", "flow"):
        kept = play_deals(rules(game), ["careful", "random"], "solstat", seeds, tmp_path)
    found = all_models(tmp_path)
    assert [(each.rules, each.policy) for each in found] == [
        ("flow", "random"),
        ("flow", "careful"),
        ("wasp", "random"),
        ("wasp", "careful"),
    ]
    assert models_of("wasp", tmp_path) == found[2:]
    assert models_of("scorpion", tmp_path) == []
    for each in found:
        assert each.n == 30 == each.won + each.stuck + each.round
        assert (each.low, each.high) == wilson(each.won, 30)
        assert each.share == each.won / 30
    assert [model(each) for each in kept] == [found[1], found[0]]
    wider = model(kept[0], 0.99)
    assert (wider.low, wider.high) == wilson(wider.won, 30, 0.99)


def test_steps_say_whether_better_players_win_as_much() -> None:
    ladder = [player("random", 5), player("greedy", 50), player("careful", 45)]
    found = steps([*ladder, player("random", 99, game="flow")])
    assert [(each.lower.policy, each.upper.policy) for each in found] == [
        ("random", "greedy"),
        ("greedy", "careful"),
    ]
    assert [(each.holds, each.clear) for each in found] == [(True, True), (False, False)]
    rows = steps_table(found).splitlines()
    assert rows[1].split()[-2:] == ["yes", "yes"]
    assert rows[2].split()[-2:] == ["NO", "no"]


def test_the_table_and_the_figure_have_a_row_for_each_player() -> None:
    models = [player("random", 0), player("careful", 40)]
    header, first, second = models_table(models).splitlines()
    assert header.endswith("interval % (95 % wilson)")
    assert first.split() == ["wasp", "random", "100", "0", "100", "0", "0.00", "0.00", "to", "3.70"]
    assert second.split()[:7] == ["wasp", "careful", "100", "40", "60", "0", "40.00"]
    mixed = models_table([models[0], replace(models[1], confidence=0.99)])
    assert "(95, 99 % wilson)" in mixed
    rows = player_rows(models)
    assert [(row.name, row.floor, row.is_ours) for row in rows] == [
        ("wasp, random", 0.0, False),
        ("wasp, careful", 0.4, False),
    ]
    assert (rows[1].low, rows[1].high) == (models[1].low, models[1].high)
