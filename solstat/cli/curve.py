"""``solstat curve``: outcomes against the budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from solstat.cli.command import command
from solstat.cli.inputs import runs_at, tell_unfinished
from solstat.cli.options import json_option, runs_argument
from solstat.cli.output import check_file, in_place_of, needing, talk, write, write_json
from solstat.errors import UsageError

if TYPE_CHECKING:
    from solstat.stats.curve import Costs, Curve
    from solstat.survey.reader import Run

FORMATS = (".png", ".svg")


class Budgets(click.ParamType[list[int]]):
    """Numbers of positions with commas between them, such as 1k,10k,100k."""

    name = "budgets"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        """Read the text; budgets given twice count once."""
        from solstat.budget import parse_budget

        return sorted({parse_budget(part) for part in value.split(",")})


@command(
    "solstat curve runs/wasp",
    "solstat curve runs/wasp runs/three --budgets 10,100,1k",
    "solstat curve runs/wasp runs/three -o curve.svg",
    "solstat curve runs/wasp --json",
)
@runs_argument
@click.option(
    "--budgets",
    type=Budgets(),
    help="Show these, like 1k,10k,100k.  [default: three in each factor of ten]",
)
@click.option("-o", "--out", type=click.Path(), help="Draw the curve too: a .png or .svg file.")
@json_option
def curve(
    paths: tuple[str, ...], budgets: list[int] | None, out: str | None, as_json: bool
) -> None:
    """Show the shares settled, won and lost against the budget.

    The search never looks at its budget: a deal settled after n positions is settled at every
    budget of at least n, so one run tells the shares at every smaller one. Above what unsettled
    deals were searched with nobody knows them, and such budgets are refused.

    Shares won and lost are floors, their 95 % intervals go up to the ceilings. Curves of several
    runs stand side by side under their paths. The figure goes from the smallest budget of the table
    to the largest, and takes 8 runs at most.
    """
    from solstat.report.curve import curve_table
    from solstat.stats.curve import costs

    suffix = "" if out is None else _suffix(out)
    runs = {str(run.path): run for run in runs_at(paths)}
    tell_unfinished(list(runs.values()))
    found = {path: costs(run) for path, run in runs.items()}
    curves = {path: _curve(path, found[path], budgets) for path in found}
    if out is not None:
        _draw(found, curves, out, suffix)
    if as_json:
        write_json([_as_json(run, curves[path]) for path, run in runs.items()])
    else:
        write(curve_table(_named(curves)))


def _suffix(out: str) -> str:
    suffix = Path(out).suffix.lower()
    if suffix not in FORMATS:
        raise UsageError(f"-o {out}: name a file that ends in {' or '.join(FORMATS)}")
    check_file(out)
    return suffix


def _curve(path: str, costs: Costs, budgets: list[int] | None) -> Curve:
    from solstat.stats.curve import curve, round_budgets

    try:
        return curve(costs, budgets or round_budgets(costs))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _draw(costs: dict[str, Costs], curves: dict[str, Curve], out: str, suffix: str) -> None:
    with needing("report"):
        from solstat.report.figures import MOST, budget_curve, save
    from solstat.budget import format_budget
    from solstat.stats.curve import curve

    if len(curves) > MOST:
        raise UsageError(f"-o {out}: a figure tells {MOST} runs apart, not {len(curves)}")
    if all(len(each.budgets) == 1 for each in curves.values()):
        only = format_budget(int(next(iter(curves.values())).budgets[0]))
        raise UsageError(f"-o {out}: one budget, {only}, makes no curve; the table shows it all")

    lines = {
        path: curve(costs[path], first=int(each.budgets[0]), last=int(each.budgets[-1]))
        for path, each in curves.items()
    }
    figure = budget_curve(_named(lines))
    with in_place_of(Path(out)) as file:
        save(figure, file, suffix[1:])
    talk(f"The figure is in {out}")


def _named(curves: dict[str, Curve]) -> dict[str, Curve]:
    """By what a table or a legend calls them: one curve needs no name."""
    names = list(curves) if len(curves) > 1 else [""]
    return dict(zip(names, curves.values(), strict=True))


def _as_json(run: Run, curve: Curve) -> dict[str, Any]:
    from dataclasses import asdict

    from solstat.stats.curve import settled
    from solstat.stats.proportion import figures

    points = []
    for counts in curve.counts():
        share = settled(counts, interval=curve.interval)
        points.append(
            {
                "budget": counts.budget,
                "settled_floor": share.floor,
                "settled_ceiling": share.ceiling,
                "settled_low": share.low,
                "settled_high": share.high,
            }
            | asdict(figures(counts, interval=curve.interval))
        )
    identity = run.record.identity
    return {
        "run": str(run.path),
        "scheme": identity.scheme,
        "first_seed": identity.first_seed,
        "search": identity.search,
        "rules": identity.rules,
        "curve": points,
    }
