"""What is known of games beside each other: whose wins are wins of another too."""

from __future__ import annotations

from solstat.games.base import Rules, family_options


def within(rules: Rules, other: Rules) -> bool:
    """Whether every deal that is won under some rules is known to be won under others too.

    So it is if they are of one family and deck and differ in options only whose values
    `Option.freer` puts in order, each of them towards the freer one: a line of the rules wins under
    the others too, or one that is made from it does. The docstrings of the families say why. The
    relation is transitive, and rules are within themselves.

    Returns
    -------
    bool
        False says that nothing is known.
    """
    if (rules.family, rules.small) != (other.family, other.small):
        return False
    for option in family_options(rules.family):
        ours, theirs = rules.option(option.name), other.option(option.name)
        order = list(option.freer)
        if ours != theirs and not (ours in order and theirs in order[order.index(ours) :]):
            return False
    return True
