"""Claims held against surveys of ours: consistent, too high, too low, or not comparable.

Ours is the interval from the lower bound of our floor to the upper bound of our ceiling. The
interval of a claim is made from its number of deals; if that is not known, from what is printed. A
claim that something is proved or true is consistent if the two meet. A floor says that at least so
many can be won: it can only be too high. Of `outcomes` both the deals proved won and those proved
lost are floors. What people win is too high if it is more than can be won; players that see no more
than people stand beside it, and refute nothing: people may play better or worse than they.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

from solstat.errors import UsageError
from solstat.stats.claims import OTHER, Claim
from solstat.stats.players import Model, models_of
from solstat.stats.proportion import Figures, Share, figures
from solstat.survey.config import load
from solstat.survey.kept import Kept, kept
from solstat.survey.plan import Plan
from solstat.survey.reader import Counts

CONFIDENCE = 0.99
"""Of every interval here: many claims are looked at, and chance alone makes some of them stray."""

NOT_PUBLISHED = "sample size not published"

PLAYERS = "players"
"""The directory, among results, of players' games."""

Basis = Literal["n", "half width", "rounding"]
Answer = Literal["consistent", "too high", "too low", "not comparable"]


@dataclass(frozen=True)
class Verdict:
    """What our survey says of a claim.

    Attributes
    ----------
    claim : Claim
        What was published.
    won : Share or None
        The published share won, with its interval; None if no share is known.
    lost : Share or None
        The published share lost, of `outcomes`.
    basis : str or None
        What the interval of `won` is made from: ``n``, ``half width`` as printed, or ``rounding``,
        half a unit of the last printed digit.
    ours : Figures or None
        Of our survey; None if it is not comparable.
    at_budget : Counts or None
        Outcomes of our deals at the budget of the claim, if both are known.
    verdict : str
        ``consistent``, ``too high``, ``too low`` or ``not comparable``.
    why : str
        The reason, and what is to be kept in mind.
    players : tuple of Model
        What players win, to stand beside what people win.
    """

    claim: Claim
    won: Share | None
    lost: Share | None
    basis: Basis | None
    ours: Figures | None
    at_budget: Counts | None
    verdict: Answer
    why: str
    players: tuple[Model, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A survey that claims are held against.

    Attributes
    ----------
    name : str
        Of its config, without ``.toml``.
    plan : Plan
        What it solves.
    apart : bool
        Whether it has a directory under that of its config, see `solstat.survey.run.run_survey`.
    """

    name: str
    plan: Plan
    apart: bool

    def kept(self, top: Path) -> Kept:
        """The finished run of it in a directory; errors as `solstat.survey.kept.kept`."""
        return kept(self.plan, self.name, top, apart=self.apart)


Key = tuple[str, str]
"""A survey by the name of its config and its rules."""


def key(claim: Claim) -> Key:
    """The survey a comparable claim is held against."""
    assert claim.survey is not None
    return claim.survey, claim.rules


def wanted(claims: Sequence[Claim], configs: Path) -> dict[Key, Wanted]:
    """The surveys that claims are held against.

    Raises
    ------
    UsageError
        There is no such config, it is none, it may stop before its last deal, or it has no survey
        of the rules of the claim.
    """
    found: dict[Key, Wanted] = {}
    for claim in claims:
        if not claim.comparable or key(claim) in found:
            continue
        name, rules = key(claim)
        config = configs / f"{name}.toml"
        try:
            settings = load(config)
        except UsageError as error:
            raise UsageError(f"claim {claim.id}: {error}") from None
        if settings.until is not None:
            raise UsageError(
                f"claim {claim.id}: config {config} has until: a survey for claims is of a number "
                "of deals that is fixed before; name one without until"
            )
        for plan in settings.plans():
            found.setdefault((name, plan.rules.id), Wanted(name, plan, bool(settings.tables)))
        if key(claim) not in found:
            raise UsageError(f"claim {claim.id}: no survey of {rules} in {config}")
    return {each: found[each] for each in dict.fromkeys(key(c) for c in claims if c.comparable)}


def verdicts(
    claims: Sequence[Claim], surveys: Mapping[Key, Kept], results: Path | None = None
) -> list[Verdict]:
    """What surveys say of claims.

    Parameters
    ----------
    claims : sequence of Claim
        What was published.
    surveys : mapping
        Each survey that is `wanted`.
    results : Path, optional
        Where a directory `PLAYERS` may be, with games of players.

    Raises
    ------
    SolstatError
        A survey or a player's games are damaged.
    """
    own = {each: survey.counts() for each, survey in surveys.items()}
    found = []
    for claim in claims:
        if claim.comparable:
            survey = surveys[key(claim)]
            interval = survey.record.interval
            players: Sequence[Model] = ()
            if claim.kind == "human" and results is not None:
                players = models_of(claim.rules, results / PLAYERS, CONFIDENCE)
            at_budget = _at_budget(claim, survey)
            found.append(judge(claim, own[key(claim)], at_budget, interval, players))
        else:
            found.append(judge(claim))
    return found


def verdicts_of_kept(
    claims: Sequence[Claim], configs: str | Path, results: str | Path
) -> list[Verdict]:
    """What the surveys in a directory of results say of claims; nothing is solved.

    Raises
    ------
    UsageError
        As `wanted`, or a survey is not there.
    SolstatError
        What is there is damaged.
    """
    needed, results = wanted(claims, Path(configs)), Path(results)
    return verdicts(claims, {name: each.kept(results) for name, each in needed.items()}, results)


def _at_budget(claim: Claim, survey: Kept) -> Counts | None:
    if claim.budget is None:
        return None
    try:
        return survey.counts(claim.budget)
    except UsageError:  # a summary, or open deals that were searched with less
        return None


def judge(
    claim: Claim,
    ours: Counts | None = None,
    at_budget: Counts | None = None,
    interval: str = "wilson",
    players: Sequence[Model] = (),
) -> Verdict:
    """What the outcomes of our survey say of a claim.

    Parameters
    ----------
    claim : Claim
        What was published.
    ours : Counts, optional
        Of the survey; needed if the claim is comparable, else of no use.
    at_budget : Counts, optional
        Of the same deals at the budget of the claim, to stand beside it.
    interval : str
        How that of our survey is made, one of `solstat.stats.intervals.METHODS`.
    players : sequence of Model
        To stand beside what people win.
    """
    won, basis = _won(claim)
    lost = None
    if claim.kind == "outcomes" and (published := claim.published_lost()):
        lost = published.proved(CONFIDENCE)
    if not claim.comparable:
        return Verdict(claim, won, lost, basis, None, None, "not comparable", _why_not(claim))
    assert ours is not None, f"{claim.id} is comparable"
    assert won is not None  # of a claim that is comparable a share is known
    survey = figures(ours, confidence=CONFIDENCE, interval=interval)
    answer, why = _compare(claim, won, lost, survey)
    remarks = [why]
    if players:
        remarks.append(_beside(won, players))
    if claim.n is None:
        remarks.append(NOT_PUBLISHED)
    if claim.why:
        remarks.append(claim.why)
    why = "; ".join(remarks)
    return Verdict(claim, won, lost, basis, survey, at_budget, answer, why, tuple(players))


def _compare(claim: Claim, won: Share, lost: Share | None, ours: Figures) -> tuple[Answer, str]:
    if claim.kind == "share":
        if won.low > ours.high:
            return "too high", "its interval is above ours"
        if won.high < ours.low:
            return "too low", "its interval is below ours"
        return "consistent", "the intervals meet"
    if claim.kind == "human":
        if won.low > ours.high:
            return "too high", "people are said to win more than can be won"
        return "consistent", "not shown to be more than can be won"
    for what, floor, most in (("won", won, ours.high), ("lost", lost, ours.lost_high)):
        if floor is not None and floor.low > most:
            return "too high", f"more are said to be proved {what} than ours allows"
    floors = "floors" if lost is not None else "a floor"
    return "consistent", f"{floors}, and not shown to be above ours"


def _beside(people: Share, players: Sequence[Model]) -> str:
    """How what people are said to win stands to what players win."""
    return "people are " + ", ".join(
        f"{_side(people, each)} {each.policy} ({100 * each.share:.2f} %)" for each in players
    )


def _side(people: Share, player: Model) -> str:
    if people.low > player.high:
        return "above"
    return "below" if people.high < player.low else "near"


def _won(claim: Claim) -> tuple[Share | None, Basis | None]:
    """The share won that is published, and what its interval is made from."""
    if published := claim.published():
        return published.proved(CONFIDENCE), "n"
    if claim.share is None:
        return None, None
    share = Fraction(claim.share) / 100
    basis: Basis
    if claim.half_width is not None:
        half, basis = Fraction(claim.half_width) / 100, "half width"
    else:
        half, basis = Fraction(1, 200 * 10 ** len(claim.share.partition(".")[2])), "rounding"
    low, high = max(Fraction(0), share - half), min(Fraction(1), share + half)
    return Share(float(share), float(share), float(low), float(high)), basis


def _why_not(claim: Claim) -> str:
    if claim.rules == OTHER:
        return f"other rules: {claim.why}"
    if claim.kind == "human":
        return f"what people win: {claim.why}"
    return claim.why
