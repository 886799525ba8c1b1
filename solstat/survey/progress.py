"""How far a run is, for a person: a bar on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from typing import ClassVar

from tqdm import tqdm

from solstat.survey import logs
from solstat.survey.logs import logger

OUTCOMES = ("won", "lost", "unsettled", "error")


class _Bar(tqdm):  # type: ignore[type-arg]
    monitor_interval: ClassVar[int] = 0  # its thread would be in the way of forks


class Progress:
    """Tells how far a run is.

    Parameters
    ----------
    label : str
        What is run.
    total : int
        Number of deals.
    stored : mapping of str to int
        Outcomes of those that were stored before.
    """

    SECONDS = 5.0  # between two log lines

    def __init__(self, label: str, total: int, stored: Mapping[str, int]) -> None:
        self._label = label
        self._total = total
        self._tally = Counter(stored)
        self._before = sum(stored.values())
        self._started = self._told = time.monotonic()
        self._bar: _Bar | None = None
        if sys.stderr is not None and sys.stderr.isatty():
            self._bar = _Bar(
                total=total,
                initial=self._before,
                desc=label,
                unit=" deals",
                unit_scale=True,
                smoothing=0.05,
                dynamic_ncols=True,
            )
            logs.beside_bar = _Bar.external_write_mode

    def add(self, outcomes: Mapping[str, int]) -> None:
        """Some more deals are stored."""
        self._tally.update(outcomes)
        if self._bar is not None:
            with suppress(OSError):  # the terminal may be gone; the run goes on
                self._bar.set_postfix_str(self._outcomes(), refresh=False)
                self._bar.update(sum(outcomes.values()))
        elif time.monotonic() - self._told >= self.SECONDS:
            self._told = time.monotonic()
            logger.info("%s", self)

    def close(self) -> None:
        """Leave the bar as it is, or tell once more."""
        if self._bar is not None:
            logs.beside_bar = nullcontext
            with suppress(OSError):
                self._bar.close()
        elif self._done > self._before:
            logger.info("%s", self)

    @property
    def _done(self) -> int:
        return self._tally.total()

    def _outcomes(self) -> str:
        return ", ".join(f"{name} {self._tally[name]:,}" for name in OUTCOMES if self._tally[name])

    def __str__(self) -> str:
        seconds = time.monotonic() - self._started
        rate = (self._done - self._before) / seconds if seconds else 0.0
        text = f"{self._label}: {self._done:,} of {self._total:,} deals ({self._outcomes()})"
        if rate:
            text += f", {rate:,.0f}/s"
            if left := self._total - self._done:
                text += f", {left / rate:,.0f} s left"
        return text
