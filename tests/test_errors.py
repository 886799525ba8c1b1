from __future__ import annotations

import pytest

from solstat.errors import Interrupted, SolstatError, UsageError, choose_from


@pytest.mark.parametrize(
    ("error", "code"), [(SolstatError, 1), (UsageError, 2), (Interrupted, 130)]
)
def test_every_error_has_the_exit_code_of_its_kind(error: type[SolstatError], code: int) -> None:
    assert issubclass(error, SolstatError)
    assert error("x").exit_code == code


def test_close_matches_are_suggested() -> None:
    assert choose_from("waps", ["scorpion", "wasp"]) == "did you mean wasp?"


def test_without_a_close_match_all_names_are_listed() -> None:
    assert choose_from("klondike", ["wasp", "scorpion"]) == "there are: scorpion, wasp"


def test_without_names_that_is_said() -> None:
    assert choose_from("wasp", []) == "there are none"
