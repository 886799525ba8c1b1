"""What can go wrong, as one line for a person.

Everything solstat raises for bad input derives from `SolstatError`; the command line prints its
message as ``Error: ...`` and leaves with its exit code. Anything else is a bug.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SolstatError(Exception):
    """Something failed; the message is one line that names the thing."""

    exit_code = 1


class UsageError(SolstatError):
    """Bad input: the message names it and says what would be right."""

    exit_code = 2


class Interrupted(SolstatError):
    """Stopped from outside, with everything done so far on disk."""

    exit_code = 130


def choose_from(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: close matches, or all there is.

    >>> choose_from("waps", ["scorpion", "wasp"])
    'did you mean wasp?'
    >>> choose_from("klondike", ["scorpion", "wasp"])
    'there are: scorpion, wasp'
    """
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"there are: {', '.join(known)}" if known else "there are none"
