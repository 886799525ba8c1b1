"""Which stage of the search settled how many deals."""

from __future__ import annotations

from solstat.survey.reader import Counts, Run


def by_stage(run: Run) -> dict[str, Counts]:
    """The outcomes of a run at its own budget, by the column ``stage``.

    Of unsettled deals the stage is the last one that was tried. Deals over which the solver itself
    failed have none: they stand under ``none``. Errors as `Run.tables`.

    Returns
    -------
    dict of str to Counts
        The stage that settled the most deals first.
    """
    tally: dict[str, dict[str, int]] = {}
    for table in run.tables(["stage", "outcome"]):
        for group in (
            table.group_by(["stage", "outcome"]).aggregate([([], "count_all")]).to_pylist()
        ):
            outcomes = tally.setdefault(group["stage"] or "none", {})
            before = outcomes.get(group["outcome"], 0)
            outcomes[group["outcome"]] = before + group["count_all"]
    rules, budget = run.record.identity.rules, run.record.budget
    found = {stage: Counts(rules, budget, **outcomes) for stage, outcomes in tally.items()}
    return dict(sorted(found.items(), key=lambda each: (-each[1].won - each[1].lost, each[0])))
