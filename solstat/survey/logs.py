"""Log records of all processes, written by one.

Workers inherit the handlers of the process that forks them, and must not write to them themselves:
lines would mix, and a bar on the terminal would be torn. While a pool is open, the handlers are
wrapped by multiprocessing-logging, which sends records to this process.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import TextIOWrapper
from typing import TextIO

from solstat.cards import shown
from solstat.errors import SolstatError

logger = logging.getLogger("solstat")


beside_bar: Callable[[], AbstractContextManager[object]] = nullcontext
"""Makes room for a line while there is a bar; `progress` sets it."""


quiet = False
"""Whether only errors go to stderr, and so no bar; `to_stderr` sets it."""

HOW_FAR = {"how_far": True}
"""The `extra` of a record that says what a bar says too."""


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to stderr, and does not tear a bar that is there."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            with beside_bar():
                super().emit(record)
        except OSError:  # the terminal is gone, and with it the bar
            self.handleError(record)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether no bar says what a record does."""
    return beside_bar is nullcontext or not hasattr(record, "how_far")


class _FileHandler(logging.FileHandler):
    """Appends to a file; a disk that is full stops the log, not the run."""

    def _open(self) -> TextIOWrapper:
        # Nothing waits in a buffer, of which a full disk would be told when the file is closed.
        file = open(self.baseFilename, "ab", buffering=0)
        return TextIOWrapper(file, self.encoding, self.errors, write_through=True)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Let the record go."""


def to_stderr(level: int = logging.INFO) -> None:
    """Write solstat's log records of a level and above to stderr. For the command line."""
    global quiet
    for before in logger.handlers:
        if isinstance(before, _FileHandler):
            before.close()
    quiet = level > logging.INFO
    handler = _StderrHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    handler.setLevel(level)
    handler.addFilter(_is_news)
    logger.handlers = [handler] if sys.stderr is not None else []
    logger.setLevel(level)
    logger.propagate = False


def to_file(path: str | os.PathLike[str], level: int = logging.INFO) -> None:
    """Append the records of a level and above to a file too, each with its day and process.

    Raises
    ------
    SolstatError
        It cannot be written.
    """
    try:
        handler = _FileHandler(path, encoding="utf-8", errors="backslashreplace")
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise SolstatError(
            f"cannot write --log-file {shown(os.fspath(path), 200)}: {reason}"
        ) from None
    layout = "%(asctime)s %(levelname)s %(process)d %(message)s"
    handler.setFormatter(logging.Formatter(layout, "%Y-%m-%d %H:%M:%S"))
    handler.setLevel(level)
    logger.addHandler(handler)
    logger.setLevel(min(logger.level, level))


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
