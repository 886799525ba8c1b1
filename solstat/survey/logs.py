"""Log records of all processes, written by one.

Workers inherit the handlers of the process that forks them, and must not write to them themselves:
lines would mix, and a bar on the terminal would be torn. While a pool is open, the handlers are
wrapped by multiprocessing-logging, which sends records to this process.
"""

from __future__ import annotations

import logging
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TextIO

logger = logging.getLogger("solstat")


beside_bar: Callable[[], AbstractContextManager[object]] = nullcontext
"""Makes room for a line while there is a bar; `progress` sets it."""


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to stderr, and does not tear a bar that is there."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            with beside_bar():
                super().emit(record)
        except OSError:  # the terminal is gone, and with it the bar
            self.handleError(record)


def to_stderr(level: int = logging.INFO) -> None:
    """Write solstat's log records of a level and above to stderr. For the command line."""
    handler = _StderrHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logger.handlers = [handler] if sys.stderr is not None else []
    logger.setLevel(level)
    logger.propagate = False


@contextmanager
def from_workers() -> Iterator[None]:
    """Receive the records of the workers that are forked meanwhile."""
    if multiprocessing.get_start_method() != "fork":
        # A notebook may have chosen otherwise; only the command line chooses for a whole process.
        yield
        return
    from multiprocessing_logging import (
        MultiProcessingHandler,
        install_mp_handler,
        uninstall_mp_handler,
    )

    install_mp_handler(logger)
    wrapped = [each for each in logger.handlers if isinstance(each, MultiProcessingHandler)]
    try:
        yield
    finally:
        uninstall_mp_handler(logger)
        for handler in wrapped:
            handler.close()
