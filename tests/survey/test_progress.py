from __future__ import annotations

import io
import logging
import re
import sys
from contextlib import nullcontext

import pytest

from solstat.survey import logs
from solstat.survey.progress import Progress, _Bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class GoneTerminal(Terminal):
    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "solstat")
    return caplog


class TestLines:
    def test_now_and_then_and_at_the_end(self, told, monkeypatch) -> None:
        progress = Progress("wasp", 1000, {"won": 100})
        progress.add({"won": 10})
        assert told.messages == []
        monkeypatch.setattr(Progress, "SECONDS", 0.0)
        progress.add({"won": 390, "lost": 99, "unsettled": 0, "error": 1})
        (line,) = told.messages
        assert line.startswith("wasp: 600 of 1,000 deals (won 500, lost 99, error 1), ")
        assert line.endswith(" s left")
        monkeypatch.setattr(Progress, "SECONDS", 100.0)
        progress.add({"unsettled": 400})
        progress.close()
        assert told.messages[1].startswith("wasp: 1,000 of 1,000 deals (won 500, lost 99, unsett")
        assert not told.messages[1].endswith("left")

    def test_also_while_a_deal_takes_long(self, told, monkeypatch) -> None:
        monkeypatch.setattr(Progress, "SECONDS", 0.0)
        Progress("wasp", 1, {}).tick()
        assert told.messages == ["wasp: 0 of 1 deal"]

    def test_none_if_there_was_nothing_to_do(self, told) -> None:
        Progress("wasp", 1000, {"won": 1000}).close()
        assert told.messages == []

    def test_the_rate_is_that_of_now(self, monkeypatch) -> None:
        progress = Progress("wasp", 1000, {"won": 500})
        progress.add({"won": 100})
        progress._began -= 10
        assert str(progress).endswith(", 10/s, 40 s left")

    def test_there_are_no_workers(self) -> None:
        progress = Progress("wasp", 100, {"won": 50})
        progress.wait_for_workers(True)
        assert str(progress) == "wasp: 50 of 100 deals (won 50), waits for workers"
        progress.wait_for_workers(False)
        assert str(progress) == "wasp: 50 of 100 deals (won 50)"

    def test_there_may_be_more_deals(self) -> None:
        progress = Progress("wasp, until won=80", 100, {}, so_far=True)
        progress.add({"won": 20})
        progress._began -= 10
        assert str(progress) == ("wasp, until won=80: 20 of 100 deals planned so far (won 20), 2/s")

    def test_without_stderr(self, monkeypatch) -> None:
        monkeypatch.setattr(sys, "stderr", None)
        progress = Progress("wasp", 10, {})
        progress.add({"won": 10})
        progress.close()


class TestBar:
    def test_on_a_terminal(self, told, monkeypatch) -> None:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        progress = Progress("wasp", 1000, {"won": 100})
        assert logs.beside_bar is not nullcontext
        progress._bar.mininterval = 0
        progress.add({"won": 400, "lost": 50})
        progress.close()
        assert logs.beside_bar is nullcontext
        text = terminal.getvalue()
        assert "wasp: 550 of 1,000, won 500, lost 50, " in text
        assert [record.how_far for record in told.records] == [True]  # for a file beside

    def test_there_are_no_workers(self, monkeypatch) -> None:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(Progress, "BAR_SECONDS", 0.0)
        progress = Progress("wasp", 100, {"won": 50}, so_far=True)
        progress.wait_for_workers(True)
        progress.tick()
        progress.close()
        assert "50 of 100 planned so far, won 50, waits for workers" in terminal.getvalue()

    def test_is_drawn_while_nothing_happens(self, monkeypatch) -> None:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(Progress, "BAR_SECONDS", 0.0)
        progress = Progress("wasp", 1000, {"won": 100})
        before = terminal.getvalue()
        progress.tick()
        assert terminal.getvalue().startswith(before)
        assert terminal.getvalue()[len(before) :].count("wasp: ") == 1
        progress.close()

    def test_none_where_only_errors_are_told(self, monkeypatch) -> None:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(logs, "quiet", True)
        progress = Progress("wasp", 1000, {})
        progress.add({"won": 1000})
        progress.close()
        assert terminal.getvalue() == ""

    @pytest.mark.parametrize(
        ("label", "columns", "expected"),
        [
            ("wasp", 100, r"wasp: \|.{25}\| "),
            ("wasp", 80, r"wasp: "),
            ("wasp(empty_pile=king,face_down_piles=3)", 80, r"wasp\(empt\.\.\.: "),
        ],
    )
    def test_all_numbers_fit(self, label: str, columns: int, expected: str) -> None:
        """The graphic goes first, then the end of the label."""
        line = _Bar.format_meter(
            1090, 3000, 5, columns, label, 212.3, "won 900, lost 180, unsettled 10"
        )
        assert len(line) <= columns
        facts = "1,090 of 3,000, won 900, lost 180, unsettled 10, 212/s, 00:08 left"
        assert re.fullmatch(f"{expected}{facts}", line)

    def test_nothing_is_left_in_the_end(self) -> None:
        assert _Bar.format_meter(10, 10, 2, 80, "wasp", None, "won 10").endswith(", won 10, 5/s")

    def test_a_terminal_that_goes_away_stops_nothing(self, monkeypatch) -> None:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        progress = Progress("wasp", 1000, {})
        progress._bar.mininterval = 0
        terminal.__class__ = GoneTerminal
        progress.add({"won": 400})
        progress.add({"won": 400})
        progress.close()
        assert logs.beside_bar is nullcontext
