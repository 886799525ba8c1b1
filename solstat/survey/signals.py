"""Signals that a run heeds when it can, instead of being ended by them."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Signals:
    """Counts SIGINT, SIGTERM and SIGHUP instead of being ended by them; a context manager."""

    HEEDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.count = 0
        self._before: list[tuple[signal.Signals, Any]] = []

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in self.HEEDED:
                handler = signal.getsignal(number)
                if handler is not signal.SIG_IGN:  # who started us wants it ignored
                    self._before.append((number, handler))
                    signal.signal(number, self._counted)
        return self

    def _counted(self, number: int, frame: FrameType | None) -> None:
        self.count += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before:
            signal.signal(number, handler)
