"""How far a run is, for a person: a bar on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from typing import ClassVar

from tqdm import tqdm
from tqdm.std import Bar  # type: ignore[attr-defined]

from solstat.survey import logs
from solstat.survey.logs import logger

SHORTEST_BAR = 10
OUTCOMES = ("won", "lost", "unsettled", "error")
SO_FAR = " planned so far"
"""Said of deals that a run plans up to where it looks whether it may stop."""
WAITS = "waits for workers"


class _Bar(tqdm):  # type: ignore[type-arg]
    monitor_interval: ClassVar[int] = 0  # its thread would be in the way of forks

    @staticmethod
    def format_meter(  # type: ignore[override]
        n: int,
        total: int,
        elapsed: float,
        ncols: int | None = None,
        prefix: str = "",
        rate: float | None = None,
        postfix: str = "",
        initial: int = 0,
        unit: str = "",
        **_: object,
    ) -> str:
        """The line of the bar; where it is narrow the graphic goes first, then the label's end."""
        if rate is None and elapsed:
            rate = (n - initial) / elapsed
        parts = [f"{n:,} of {total:,}{unit}", postfix]
        if rate:
            parts.append(f"{rate:,.0f}/s")
            if n < total and unit != SO_FAR:
                parts.append(f"{tqdm.format_interval((total - n) / rate)} left")
        facts = ", ".join(filter(None, parts))
        if ncols is None:
            return f"{prefix}: {facts}"
        room = ncols - len(f"{prefix}: || {facts}")
        if room >= SHORTEST_BAR:
            return f"{prefix}: |{Bar(n / total, room)}| {facts}"
        room = ncols - len(f": {facts}")
        if len(prefix) > room:
            prefix = f"{prefix[: max(0, room - 3)]}..."
        return f"{prefix}: {facts}"[:ncols]


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
    began : float, optional
        When the run began, as `time.monotonic`; now if not given.
    so_far : bool
        Whether there may be more deals later.
    """

    SECONDS = 10.0  # between two log lines
    BAR_SECONDS = 1.0  # between two times that a bar is drawn, if nothing happens

    def __init__(
        self,
        label: str,
        total: int,
        stored: Mapping[str, int],
        began: float | None = None,
        so_far: bool = False,
    ) -> None:
        self._label = label
        self._total = total
        self._tally = Counter(stored)
        self._before = sum(stored.values())
        self._told = self._drawn = time.monotonic()
        self._began = self._told if began is None else began
        self._so_far = so_far
        self._waits = False
        self._bar: _Bar | None = None
        if sys.stderr is not None and sys.stderr.isatty() and not logs.quiet:
            self._bar = _Bar(
                total=total,
                initial=self._before,
                desc=label,
                postfix=self._facts(),
                unit=SO_FAR if so_far else "",
                smoothing=0.05,
                dynamic_ncols=True,
            )
            logs.beside_bar = _Bar.external_write_mode

    def add(self, outcomes: Mapping[str, int]) -> None:
        """Some more deals are stored."""
        self._tally.update(outcomes)
        if self._bar is not None:
            with suppress(OSError):  # the terminal may be gone; the run goes on
                self._bar.set_postfix_str(self._facts(), refresh=False)
                self._bar.update(sum(outcomes.values()))
        self.tick()

    def wait_for_workers(self, waits: bool) -> None:
        """Whether there are no workers now, and so nothing goes on."""
        if waits == self._waits:
            return
        self._waits = waits
        if self._bar is not None:
            with suppress(OSError):
                self._bar.set_postfix_str(self._facts(), refresh=False)

    def tick(self) -> None:
        """Time goes by: a line now and then, also while a deal takes long."""
        now = time.monotonic()
        if now - self._told >= self.SECONDS:
            self._told = now
            logger.info("%s", self, extra=logs.HOW_FAR)
        if self._bar is not None and now - self._drawn >= self.BAR_SECONDS:
            self._drawn = now
            with suppress(OSError):
                self._bar.refresh()

    def extend(self, total: int) -> None:
        """There are more deals now, `total` with those before."""
        self._total = total
        if self._bar is not None:
            self._bar.total = total

    def close(self) -> None:
        """Leave the bar as it is, or tell once more."""
        if self._done > self._before:
            logger.info("%s", self, extra=logs.HOW_FAR)
        if self._bar is not None:
            logs.beside_bar = nullcontext
            with suppress(OSError):
                self._bar.close()

    @property
    def _done(self) -> int:
        return self._tally.total()

    def _outcomes(self) -> str:
        return ", ".join(f"{name} {self._tally[name]:,}" for name in OUTCOMES if self._tally[name])

    def _facts(self) -> str:
        """What a bar says beside how many deals are done."""
        return ", ".join(filter(None, [self._outcomes(), WAITS if self._waits else ""]))

    def __str__(self) -> str:
        seconds = time.monotonic() - self._began
        rate = (self._done - self._before) / seconds if seconds else 0.0
        outcomes = f" ({told})" if (told := self._outcomes()) else ""
        deals = "deal" if self._total == 1 else "deals"
        planned = f"{deals}{SO_FAR}" if self._so_far else deals
        text = f"{self._label}: {self._done:,} of {self._total:,} {planned}{outcomes}"
        if self._waits:
            text += f", {WAITS}"
        elif rate:
            text += f", {rate:,.0f}/s"
            if not self._so_far and (left := self._total - self._done):
                text += f", {left / rate:,.0f} s left"
        return text
