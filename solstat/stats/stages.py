"""Which stage of the search settled how many deals."""

from __future__ import annotations

from solstat.survey.reader import Counts, Run, outcomes

NONE = "none"
"""Where deals stand over which the solver itself failed."""
UNKNOWN = "unknown"
"""Where deals stand that a lower budget leaves unsettled: nobody knows in which stage."""


def by_stage(run: Run, budget: int | None = None) -> dict[str, Counts]:
    """The outcomes of a run at a budget, by the column ``stage``.

    Of deals that were unsettled at the run's own budget the stage is the last one that was tried.

    Parameters
    ----------
    run : Run
        The run.
    budget : int, optional
        The run's own if not given. Errors as `solstat.survey.reader.outcomes`.

    Returns
    -------
    dict of str to Counts
        The stage that settled the most deals first; `NONE` and `UNKNOWN` are no stages.
    """
    import pyarrow.compute as pc

    tally: dict[str, dict[str, int]] = {}
    for table in outcomes(run, budget, ["stage"]):
        at = run.record.budget if budget is None else budget
        unsettled = pc.equal(table["outcome"], "unsettled")
        # A search that was stopped later, or settled the deal, may have been in any stage by then.
        went_on = pc.or_(pc.greater(table["budget"], at), pc.greater(table["positions"], at))
        stage = pc.if_else(pc.and_kleene(unsettled, went_on), UNKNOWN, table["stage"])
        table = table.select(["outcome"]).append_column("stage", stage)
        for group in (
            table.group_by(["stage", "outcome"]).aggregate([([], "count_all")]).to_pylist()
        ):
            found = tally.setdefault(group["stage"] or NONE, {})
            found[group["outcome"]] = found.get(group["outcome"], 0) + group["count_all"]
    rules = run.record.identity.rules
    at = run.record.budget if budget is None else budget
    counted = {stage: Counts(rules, at, **each) for stage, each in tally.items()}
    return dict(sorted(counted.items(), key=lambda each: (-each[1].won - each[1].lost, each[0])))
